//! The error numbers of the simulated system and their sentences, as `strerror` prints them.

use std::fmt;

macro_rules! errno {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal;)*) => {
        /// An error of a system call. `Display` prints the sentence of glibc's `strerror`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(clippy::upper_case_acronyms)]
        pub enum Errno { $(#[doc = $text] $name = $number,)* }

        impl Errno {
            /// The sentence.
            pub const fn message(self) -> &'static str {
                match self { $(Errno::$name => $text,)* }
            }
            /// The error of a number, if it is one of these.
            pub const fn from_number(number: i32) -> Option<Errno> {
                match number { $($number => Some(Errno::$name),)* _ => None }
            }
            /// The number.
            pub const fn number(self) -> i32 {
                match self { $(Errno::$name => $number,)* }
            }
            /// The symbolic name, such as `ENOENT`.
            pub const fn name(self) -> &'static str {
                match self { $(Errno::$name => stringify!($name),)* }
            }
        }
    };
}

errno! {
    EPERM = 1 "Operation not permitted";
    ENOENT = 2 "No such file or directory";
    ESRCH = 3 "No such process";
    EINTR = 4 "Interrupted system call";
    EIO = 5 "Input/output error";
    ENXIO = 6 "No such device or address";
    E2BIG = 7 "Argument list too long";
    ENOEXEC = 8 "Exec format error";
    EBADF = 9 "Bad file descriptor";
    ECHILD = 10 "No child processes";
    EAGAIN = 11 "Resource temporarily unavailable";
    ENOMEM = 12 "Cannot allocate memory";
    EACCES = 13 "Permission denied";
    EBUSY = 16 "Device or resource busy";
    EEXIST = 17 "File exists";
    EXDEV = 18 "Invalid cross-device link";
    ENODEV = 19 "No such device";
    ENOTDIR = 20 "Not a directory";
    EISDIR = 21 "Is a directory";
    EINVAL = 22 "Invalid argument";
    ENFILE = 23 "Too many open files in system";
    EMFILE = 24 "Too many open files";
    ENOTTY = 25 "Inappropriate ioctl for device";
    ETXTBSY = 26 "Text file busy";
    EFBIG = 27 "File too large";
    ENOSPC = 28 "No space left on device";
    ESPIPE = 29 "Illegal seek";
    EROFS = 30 "Read-only file system";
    EMLINK = 31 "Too many links";
    EPIPE = 32 "Broken pipe";
    EDOM = 33 "Numerical argument out of domain";
    ERANGE = 34 "Numerical result out of range";
    EDEADLK = 35 "Resource deadlock avoided";
    ENAMETOOLONG = 36 "File name too long";
    ENOSYS = 38 "Function not implemented";
    ENOTEMPTY = 39 "Directory not empty";
    ELOOP = 40 "Too many levels of symbolic links";
    EOVERFLOW = 75 "Value too large for defined data type";
    EILSEQ = 84 "Invalid or incomplete multibyte or wide character";
    EOPNOTSUPP = 95 "Operation not supported";
    ETIMEDOUT = 110 "Connection timed out";
    ECONNREFUSED = 111 "Connection refused";
    EDQUOT = 122 "Disk quota exceeded";
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Errno {}

impl From<Errno> for std::io::Error {
    fn from(error: Errno) -> std::io::Error {
        std::io::Error::from_raw_os_error(error as i32)
    }
}

impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Errno {
        Errno::from(&error)
    }
}

impl From<&std::io::Error> for Errno {
    /// The number if the error has a known one, else the nearest of its kind; `EIO` where nothing fits.
    fn from(error: &std::io::Error) -> Errno {
        use std::io::ErrorKind;
        if let Some(known) = error.raw_os_error().and_then(Errno::from_number) {
            return known;
        }
        match error.kind() {
            ErrorKind::NotFound => Errno::ENOENT,
            ErrorKind::PermissionDenied => Errno::EACCES,
            ErrorKind::AlreadyExists => Errno::EEXIST,
            ErrorKind::InvalidInput => Errno::EINVAL,
            ErrorKind::Unsupported => Errno::EOPNOTSUPP,
            ErrorKind::StorageFull => Errno::ENOSPC,
            ErrorKind::ReadOnlyFilesystem => Errno::EROFS,
            ErrorKind::NotADirectory => Errno::ENOTDIR,
            ErrorKind::IsADirectory => Errno::EISDIR,
            ErrorKind::DirectoryNotEmpty => Errno::ENOTEMPTY,
            _ => Errno::EIO,
        }
    }
}
