//! Where the store is, as the system sees it: folders, a server, or a socket.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr as _;

use sqlx::postgres::PgConnectOptions;

use super::node::create_folder;
use super::url::DatabaseUrl;
use super::{StoreError, StoreSettings};

/// What a process must reach to use the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Folders in which files are read, written, made and removed.
    Folders(Vec<PathBuf>),
    /// A TCP port.
    Port {
        /// The port.
        port: u16,
        /// The server goes by a name, whose address has to be found.
        named: bool,
    },
    /// A Unix socket.
    Socket,
}

impl StoreSettings {
    /// Where the store is. Its folder is made for this user alone, if it is missing.
    ///
    /// # Errors
    /// [`StoreError::Open`] says what stands in the way.
    pub fn place(&self) -> Result<Place, StoreError> {
        let fault = |reason: String| StoreError::Open { database: self.database.to_string(), reason };
        match &self.database {
            DatabaseUrl::Sqlite(file) => {
                let folder = file.parent().unwrap_or(file).to_owned();
                if !folder.as_os_str().is_empty() {
                    create_folder(&folder).map_err(|cause| fault(cause.to_string()))?;
                }
                // SQLite puts its side files beside the file that a link leads to.
                let linked = file.canonicalize().ok().and_then(|file| file.parent().map(PathBuf::from));
                let other = linked.filter(|linked| folder.canonicalize().ok().as_ref() != Some(linked));
                Ok(Place::Folders(std::iter::once(folder).chain(other).collect()))
            }
            DatabaseUrl::Postgres(url) => {
                let options =
                    PgConnectOptions::from_str(url.whole()).map_err(|cause| fault(cause.to_string()))?;
                let host = options.get_host();
                if options.get_socket().is_some() || host.starts_with('/') {
                    return Ok(Place::Socket);
                }
                let bare = host.trim_start_matches('[').trim_end_matches(']');
                Ok(Place::Port { port: options.get_port(), named: bare.parse::<IpAddr>().is_err() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::url::PostgresUrl;
    use super::*;

    fn place(database: DatabaseUrl) -> Place {
        let (artefacts, day) = (PathBuf::new(), Duration::from_secs(86_400));
        let (trace_retention, approval_lifetime) = (day, day);
        let (secrets, secrets_key) = (Vec::new(), None);
        StoreSettings { database, artefacts, trace_retention, approval_lifetime, secrets, secrets_key }
            .place()
            .unwrap()
    }

    #[test]
    fn a_server_has_a_port_or_a_socket() {
        for (url, expected) in [
            ("postgres://a@127.0.0.1:5433/b", Place::Port { port: 5433, named: false }),
            ("postgres://a@[::1]:5433/b", Place::Port { port: 5433, named: false }),
            ("postgres://a@db.example:5433/b", Place::Port { port: 5433, named: true }),
            ("postgres://a@db.example:5433/b?host=/run/postgresql", Place::Socket),
            ("postgres://a@%2Frun%2Fpostgresql/b", Place::Socket),
        ] {
            assert_eq!(place(DatabaseUrl::Postgres(PostgresUrl::parse(url).unwrap())), expected, "{url}");
        }
    }

    #[test]
    fn a_file_has_a_folder_and_that_of_where_it_leads() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = here.path().join("data/toolhost.db");
        let folder = here.path().join("data");
        assert_eq!(place(DatabaseUrl::Sqlite(file.clone())), Place::Folders(vec![folder.clone()]));
        assert!(folder.is_dir());
        let other = there.path().canonicalize().unwrap();
        super::super::node::open_private(&other.join("real.db")).unwrap();
        std::os::unix::fs::symlink(other.join("real.db"), &file).unwrap();
        assert_eq!(place(DatabaseUrl::Sqlite(file)), Place::Folders(vec![folder, other]));
    }
}
