//! The exit codes. They are stable: scripts rely on them, so a code is never given another meaning.

use crate::spec::{Code, Outcome};

/// How the command ends, as its caller's shell sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// What was asked for was done.
    Ok = 0,
    /// The tool failed, or what was asked about is not there.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The call was refused before any of the tool's code ran.
    Refused = 3,
    /// The call was stopped while it ran.
    Stopped = 4,
    /// The configuration is wrong.
    Configuration = 5,
    /// Something that the command stands on does not work: the store, the engine, a component, the port.
    Unavailable = 6,
    /// There is no room for the call right now, or a quota is used up.
    Busy = 7,
    /// A fault of the host's own.
    Internal = 70,
    /// A signal ended the command.
    Interrupted = 130,
}

impl Exit {
    /// All codes, in order.
    pub const ALL: [Self; 10] = [
        Self::Ok,
        Self::Failed,
        Self::Usage,
        Self::Refused,
        Self::Stopped,
        Self::Configuration,
        Self::Unavailable,
        Self::Busy,
        Self::Internal,
        Self::Interrupted,
    ];

    /// The number that the shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The meaning as the help shows it.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "done",
            Self::Failed => "the tool failed, or what was asked about is not there",
            Self::Usage => "the command line is wrong",
            Self::Refused => "refused before the tool ran: a gate, a reviewer, a key used otherwise, nesting",
            Self::Stopped => "stopped while it ran: time, cancelled, fuel, memory",
            Self::Configuration => "the configuration is wrong",
            Self::Unavailable => "the store, the engine, a file or the port does not work",
            Self::Busy => "no room right now, or a quota is used up: try again later",
            Self::Internal => "a fault of the host's own",
            Self::Interrupted => "ended by a signal; a running call is cancelled",
        }
    }

    /// The code for a call that ended so.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        match &outcome.result {
            Ok(_) => Self::Ok,
            Err(failure) => Self::of_code(failure.code),
        }
    }

    const fn of_code(code: Code) -> Self {
        match code {
            Code::ToolError
            | Code::ToolCrashed
            | Code::BadResult
            | Code::OutcomeUnknown
            | Code::ExecutionAbandoned => Self::Failed,
            Code::NoSuchTool
            | Code::NotAllowed
            | Code::BadJson
            | Code::BadArgs
            | Code::NeedsApproval
            | Code::ApprovalDenied
            | Code::KeyConflict
            | Code::InvokeLimit => Self::Refused,
            Code::Timeout | Code::Cancelled | Code::FuelExhausted | Code::MemoryLimit => Self::Stopped,
            Code::Overloaded | Code::QuotaExceeded => Self::Busy,
            Code::Internal => Self::Internal,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_documented_one() {
        let table: Vec<(u8, Exit)> = Exit::ALL.into_iter().map(|exit| (exit.code(), exit)).collect();
        assert_eq!(
            table,
            [
                (0, Exit::Ok),
                (1, Exit::Failed),
                (2, Exit::Usage),
                (3, Exit::Refused),
                (4, Exit::Stopped),
                (5, Exit::Configuration),
                (6, Exit::Unavailable),
                (7, Exit::Busy),
                (70, Exit::Internal),
                (130, Exit::Interrupted),
            ]
        );
    }

    #[test]
    fn every_failure_has_its_code() {
        for (code, exit) in [
            (Code::NoSuchTool, 3),
            (Code::NotAllowed, 3),
            (Code::BadJson, 3),
            (Code::BadArgs, 3),
            (Code::NeedsApproval, 3),
            (Code::ApprovalDenied, 3),
            (Code::Timeout, 4),
            (Code::Cancelled, 4),
            (Code::FuelExhausted, 4),
            (Code::MemoryLimit, 4),
            (Code::ToolError, 1),
            (Code::ToolCrashed, 1),
            (Code::BadResult, 1),
            (Code::KeyConflict, 3),
            (Code::InvokeLimit, 3),
            (Code::Overloaded, 7),
            (Code::QuotaExceeded, 7),
            (Code::OutcomeUnknown, 1),
            (Code::ExecutionAbandoned, 1),
            (Code::Internal, 70),
        ] {
            assert_eq!(Exit::of_code(code).code(), exit, "{code}");
        }
    }
}
