//! A sample.
