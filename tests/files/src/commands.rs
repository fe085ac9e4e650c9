//! The commands. A directory is named by its guest path or by the name that it was opened under; so is a file.

use std::collections::HashMap;

use crate::bindings::wasi::filesystem::preopens::get_directories;
use crate::bindings::wasi::filesystem::types::{
    Advice, Descriptor, DescriptorFlags, DescriptorType, ErrorCode, NewTimestamp, OpenFlags, PathFlags,
    filesystem_error_code,
};
use crate::bindings::wasi::io::streams::{OutputStream, StreamError};

/// What a command says where it did what it should.
const DONE: &str = "ok";
/// The most that one write of a stream takes, in bytes.
const AT_ONCE: usize = 4_096;

/// What a call has open.
pub(crate) struct Session {
    open: HashMap<String, Descriptor>,
    streams: HashMap<String, OutputStream>,
}

/// Why a command did nothing: the error code that the host gave, or what is wrong with the command.
enum Fault {
    Code(ErrorCode),
    Command(String),
}

impl From<ErrorCode> for Fault {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<StreamError> for Fault {
    fn from(fault: StreamError) -> Self {
        match fault {
            StreamError::Closed => Self::Command("closed".to_owned()),
            StreamError::LastOperationFailed(fault) => match filesystem_error_code(&fault) {
                Some(code) => Self::Code(code),
                None => Self::Command(fault.to_debug_string()),
            },
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => f.write_str(code.name()),
            Self::Command(text) => f.write_str(text),
        }
    }
}

impl Session {
    pub(crate) fn new() -> Self {
        let open = get_directories().into_iter().map(|(directory, name)| (name, directory)).collect();
        Self { open, streams: HashMap::new() }
    }

    /// Does one command and says what became of it.
    pub(crate) fn run(&mut self, command: &str) -> String {
        let command = command.replace("%0", "\0");
        let words: Vec<&str> = command.split('|').collect();
        self.done(&words).unwrap_or_else(|fault| fault.to_string())
    }

    fn done(&mut self, words: &[&str]) -> Result<String, Fault> {
        match *words {
            ["open", name, directory, path, how] => self.open(name, directory, path, how)?,
            ["close", name] => {
                self.open.remove(name);
                self.streams.remove(name);
            }
            ["write", file, offset, length] => {
                let bytes = vec![b'x'; length_of(length)?];
                return Ok(self.at(file)?.write(&bytes, number(offset)?)?.to_string());
            }
            ["stream", file, offset, length] => {
                let stream = self.at(file)?.write_via_stream(number(offset)?)?;
                pour(&stream, length_of(length)?)?;
            }
            ["append", file, length] => pour(&self.at(file)?.append_via_stream()?, length_of(length)?)?,
            ["keep-stream", name, file] => {
                let stream = self.at(file)?.write_via_stream(0)?;
                self.streams.insert(name.to_owned(), stream);
            }
            ["pour", name, length] => {
                let stream = self.streams.get(name).ok_or_else(|| unknown(name))?;
                pour(stream, length_of(length)?)?;
            }
            ["overwrite", file, length, rounds] => {
                let bytes = vec![b'y'; length_of(length)?];
                for _ in 0..number(rounds)? {
                    self.at(file)?.write(&bytes, 0)?;
                }
            }
            ["read", file] => {
                let (bytes, _) = self.at(file)?.read(AT_ONCE as u64, 0)?;
                return Ok(String::from_utf8_lossy(&bytes).into_owned());
            }
            ["size", file, size] => self.at(file)?.set_size(number(size)?)?,
            ["sync", file] => {
                self.at(file)?.sync()?;
                self.at(file)?.sync_data()?;
                self.at(file)?.metadata_hash()?;
            }
            ["advise", file] => self.at(file)?.advise(0, 0, Advice::Sequential)?,
            ["times", file] => self.at(file)?.set_times(NewTimestamp::Now, NewTimestamp::Now)?,
            ["flags", file] => return Ok(format!("{:?}", self.at(file)?.get_flags()?)),
            ["times-at", directory, path] => {
                let (now, then) = (NewTimestamp::Now, NewTimestamp::NoChange);
                self.at(directory)?.set_times_at(PathFlags::SYMLINK_FOLLOW, path, now, then)?;
            }
            ["stat", directory, path] => return self.stat(directory, path, PathFlags::SYMLINK_FOLLOW),
            ["lstat", directory, path] => return self.stat(directory, path, PathFlags::empty()),
            ["hash", directory, path] => {
                self.at(directory)?.metadata_hash_at(PathFlags::SYMLINK_FOLLOW, path)?;
            }
            ["readlink", directory, path] => return Ok(self.at(directory)?.readlink_at(path)?),
            ["mkdir", directory, path] => self.at(directory)?.create_directory_at(path)?,
            ["rmdir", directory, path] => self.at(directory)?.remove_directory_at(path)?,
            ["unlink", directory, path] => self.at(directory)?.unlink_file_at(path)?,
            ["symlink", directory, to, path] => self.at(directory)?.symlink_at(to, path)?,
            ["link", directory, path, new_directory, new_path] => {
                let new_directory = self.at(new_directory)?;
                self.at(directory)?.link_at(PathFlags::empty(), path, new_directory, new_path)?;
            }
            ["rename", directory, path, new_directory, new_path] => {
                self.at(directory)?.rename_at(path, self.at(new_directory)?, new_path)?;
            }
            ["list", directory] => {
                let mut names = Vec::new();
                let entries = self.at(directory)?.read_directory()?;
                while let Some(entry) = entries.read_directory_entry()? {
                    names.push(format!("{}{}", entry.name, mark(entry.type_)));
                }
                names.sort();
                return Ok(names.join(" "));
            }
            ["count", directory] => {
                let entries = self.at(directory)?.read_directory()?;
                let mut n_entries = 0_u64;
                while entries.read_directory_entry()?.is_some() {
                    n_entries += 1;
                }
                return Ok(n_entries.to_string());
            }
            ["fill", directory, prefix, files, length] => {
                return Ok(self.fill(directory, prefix, length_of(files)?, length_of(length)?));
            }
            ["std-write", path, length] => return Ok(std_write(path, length_of(length)?)),
            _ => return Err(Fault::Command(format!("no such command: {words:?}"))),
        }
        Ok(DONE.to_owned())
    }

    /// The letters of `how`: r and w for the power, m to change a directory; c create, x only if it is new, t truncate,
    /// d only a directory; f to follow a link.
    fn open(&mut self, name: &str, directory: &str, path: &str, how: &str) -> Result<(), Fault> {
        let (mut follow, mut opened, mut power) =
            (PathFlags::empty(), OpenFlags::empty(), DescriptorFlags::empty());
        for letter in how.chars() {
            match letter {
                'r' => power = power | DescriptorFlags::READ,
                'w' => power = power | DescriptorFlags::WRITE,
                'm' => power = power | DescriptorFlags::MUTATE_DIRECTORY,
                'c' => opened = opened | OpenFlags::CREATE,
                'x' => opened = opened | OpenFlags::EXCLUSIVE,
                't' => opened = opened | OpenFlags::TRUNCATE,
                'd' => opened = opened | OpenFlags::DIRECTORY,
                'f' => follow = follow | PathFlags::SYMLINK_FOLLOW,
                other => return Err(Fault::Command(format!("no such letter: {other}"))),
            }
        }
        let descriptor = self.at(directory)?.open_at(follow, path, opened, power)?;
        self.open.insert(name.to_owned(), descriptor);
        Ok(())
    }

    fn stat(&self, directory: &str, path: &str, follow: PathFlags) -> Result<String, Fault> {
        let is = self.at(directory)?.stat_at(follow, path)?;
        Ok(format!("{}{}", is.size, mark(is.type_)))
    }

    /// Creates files until one is refused, and says how many there are and why there are no more.
    fn fill(&self, directory: &str, prefix: &str, files: usize, length: usize) -> String {
        let bytes = vec![b'z'; length];
        let one = |number: usize| -> Result<(), Fault> {
            let how = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
            let path = format!("{prefix}{number}");
            let file = self.at(directory)?.open_at(PathFlags::empty(), &path, how, DescriptorFlags::WRITE)?;
            file.write(&bytes, 0)?;
            Ok(())
        };
        for number in 0..files {
            if let Err(fault) = one(number) {
                return format!("{number} {fault}");
            }
        }
        format!("{files} {DONE}")
    }

    fn at(&self, name: &str) -> Result<&Descriptor, Fault> {
        self.open.get(name).ok_or_else(|| unknown(name))
    }
}

fn unknown(name: &str) -> Fault {
    Fault::Command(format!("nothing is open as {name:?}"))
}

fn number(word: &str) -> Result<u64, Fault> {
    word.parse().map_err(|_| Fault::Command(format!("{word:?} is no number")))
}

fn length_of(word: &str) -> Result<usize, Fault> {
    number(word)?.try_into().map_err(|_| Fault::Command(format!("{word:?} is too long")))
}

fn mark(kind: DescriptorType) -> &'static str {
    match kind {
        DescriptorType::Directory => "/",
        DescriptorType::SymbolicLink => "@",
        DescriptorType::RegularFile => "",
        _ => "?",
    }
}

fn pour(stream: &OutputStream, length: usize) -> Result<(), Fault> {
    let bytes = vec![b'x'; length];
    for chunk in bytes.chunks(AT_ONCE) {
        stream.blocking_write_and_flush(chunk)?;
    }
    Ok(())
}

/// The same as a tool's author does it.
#[expect(clippy::disallowed_methods, reason = "a guest opens what it was granted, and nothing else is there")]
fn std_write(path: &str, length: usize) -> String {
    match std::fs::write(path, vec![b'x'; length]) {
        Ok(()) => DONE.to_owned(),
        Err(fault) => format!("{:?}", fault.kind()),
    }
}
