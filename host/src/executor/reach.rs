//! What a host needs of the system, as rules for the wall around it.

use std::path::PathBuf;

use super::load::{LoadReport, files};
use super::settings::{folder, is_pattern};
use super::{Settings, StartError, make_folders};
use crate::policy::{DirectoryPower, KeySource};
use crate::sandbox::{SandboxError, host_path, make_artefact_folder};
use crate::store::{DatabaseUrl, Place, SecretSource};
use crate::wall::Rules;

impl Settings {
    /// What a host of these settings needs from its start to its end, but for its address and its compilers. Makes the
    /// folders that are missing, since a wall leaves open what is there.
    ///
    /// Whatever else a part of the host comes to need has to be named here.
    ///
    /// # Errors
    /// [`StartError`] if a folder cannot be made.
    pub fn reach(&self) -> Result<Rules, StartError> {
        make_folders(self)?;
        let mut rules = Rules::default();
        rules.itself();
        match self.store.place()? {
            Place::Folders(folders) => {
                for folder in folders {
                    rules.write(folder);
                }
            }
            Place::Port { port, named } => {
                rules.connect(port);
                if named {
                    rules.resolve_names();
                }
            }
            Place::Socket => {
                rules.unix_sockets();
            }
        }
        make_artefact_folder(&self.store.artefacts).map_err(SandboxError::from)?;
        rules.write(&self.store.artefacts);
        self.components(&mut rules);
        if let Some(file) = &self.file {
            rules.read(file);
        }
        for grant in self.components.iter().flat_map(|component| &component.grants.directories) {
            for tenant in self.tenants.keys() {
                let folder = host_path(grant, tenant);
                match grant.power {
                    DirectoryPower::ReadOnly => rules.read(folder),
                    DirectoryPower::Writable(_) => rules.write(folder),
                };
            }
        }
        for rule in self.components.iter().flat_map(|component| &component.grants.http) {
            rules.connect(rule.port());
            rules.resolve_names();
        }
        for issuer in &self.jwt {
            match &issuer.keys {
                KeySource::At(url) => {
                    rules.connect(url.destination().port);
                    rules.resolve_names();
                }
                KeySource::Here { file, .. } => {
                    rules.read(file);
                }
            }
        }
        // The configuration is read again with what it names. A file of these that is replaced is another one to the system, and
        // is read at the next start: their folders may hold anything.
        for file in &self.egress.files {
            rules.read(file);
        }
        // A file that is replaced is another one to the system, so that its folder has to be open.
        for folder in self.replaced_files().filter_map(|file| file.parent()) {
            rules.read(folder);
        }
        Ok(rules)
    }

    /// Files that are read again while the host serves: secrets, and what the database is known by.
    fn replaced_files(&self) -> impl Iterator<Item = &PathBuf> {
        let secrets = self.store.secrets.iter().filter_map(|secret| match &secret.source {
            SecretSource::File(file) => Some(file),
            _ => None,
        });
        let certificates = match &self.store.database {
            DatabaseUrl::Postgres(url) => url.certificates(),
            DatabaseUrl::Sqlite(_) => &[],
        };
        secrets.chain(certificates)
    }

    /// Components are read at the start and whenever they are loaded again, so that new ones in a folder count.
    fn components(&self, rules: &mut Rules) {
        for path in self.components.iter().filter_map(|component| component.origin.files()) {
            // A named file's folder may hold what is nobody's business, so that it stays closed: another file that takes the
            // named one's place is seen at the next start.
            match is_pattern(path) {
                true => rules.read(folder(path)),
                false => rules.read(path),
            };
        }
        // A link in a folder may lead out of it.
        for candidate in files(self, &mut LoadReport::default()) {
            if candidate.path.is_symlink()
                && let Ok(real) = candidate.path.canonicalize()
            {
                rules.read(real);
            }
        }
    }
}
