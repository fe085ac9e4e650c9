//! Values that may have one of several forms, and one sentence about a value that has none of them.
//!
//! A model that reads the faults of five forms mends the wrong one. So forms that the value cannot mean are put
//! aside first: those of another type, then those with another tag. What is left is told.

use serde_json::Value;

use super::findings::{Findings, Nature};
use super::{Marks, OutOfSteps, Walk};
use crate::schema::Fault;
use crate::schema::graph::NodeId;
use crate::schema::rules::Types;
use crate::schema::words::{self, Place};

/// The most options of several forms that are put into one list.
const OPTIONS_TOLD: usize = 64;

impl Walk<'_> {
    pub(super) fn any_of<'v>(
        &mut self,
        forms: &[NodeId],
        value: &'v Value,
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        let (accepting, refusing) = self.try_forms(forms, value, place)?;
        if accepting.is_empty() {
            self.tell_none_fits(refusing, value, place, out);
        }
        for below in accepting {
            marks.merge(below);
        }
        Ok(())
    }

    pub(super) fn one_of<'v>(
        &mut self,
        forms: &[NodeId],
        value: &'v Value,
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        let (mut accepting, refusing) = self.try_forms(forms, value, place)?;
        match (accepting.len(), accepting.pop()) {
            (1, Some(below)) => marks.merge(below),
            (0, _) => self.tell_none_fits(refusing, value, place, out),
            (n_fitting, _) => self.find(out, place, Nature::Other, || {
                format!("fits {n_fitting} of the {} allowed forms, but must fit exactly one", forms.len())
            }),
        }
        Ok(())
    }

    fn try_forms<'v>(
        &mut self,
        forms: &[NodeId],
        value: &'v Value,
        place: &Place<'_>,
    ) -> Result<(Vec<Marks<'v>>, Vec<Findings>), OutOfSteps> {
        let (mut accepting, mut refusing) = (Vec::new(), Vec::new());
        for &form in forms {
            let mut findings = Findings::default();
            let marks = self.node(form, value, place, true, &mut findings)?;
            if findings.is_empty() {
                accepting.push(marks);
            } else {
                refusing.push(findings);
            }
        }
        Ok((accepting, refusing))
    }

    fn tell_none_fits(&self, forms: Vec<Findings>, value: &Value, place: &Place<'_>, out: &mut Findings) {
        let n_forms = forms.len();
        let pointer = place.pointer();
        let of_another_type = |form: &Findings| {
            form.listed
                .iter()
                .any(|(fault, nature)| matches!(nature, Nature::Type(_)) && fault.pointer == pointer)
        };
        let (other_type, possible): (Vec<_>, Vec<_>) = forms.into_iter().partition(of_another_type);
        if possible.is_empty() {
            let all: Vec<Types> = other_type.iter().flat_map(types).collect();
            let together = Types::together(&all);
            self.find(out, place, Nature::Type(together), || words::wrong_type(&[together], value));
            return;
        }
        let (other_tag, mut possible): (Vec<_>, Vec<_>) =
            possible.into_iter().partition(|form| options(form, &pointer).is_some());
        if possible.is_empty() {
            self.tell_options(&other_tag, n_forms, place, out);
            return;
        }
        if let [_] = possible.as_slice()
            && let Some(only) = possible.pop()
        {
            out.append(self.listed, only);
            return;
        }
        self.tell_nearest(&possible, n_forms, place, out);
    }

    /// Every form names options for a part of the value, and the part is none of them.
    fn tell_options(&self, forms: &[Findings], n_forms: usize, place: &Place<'_>, out: &mut Findings) {
        let pointer = place.pointer();
        let mut wanted = Vec::new();
        let mut first = None;
        for form in forms {
            let Some((fault, some, found)) = options(form, &pointer) else { continue };
            let (same_place, _) = first.get_or_insert((fault.clone(), found.to_owned()));
            if same_place.pointer != fault.pointer {
                return self.tell_nearest(forms, n_forms, place, out);
            }
            for option in some {
                if !wanted.contains(option) && wanted.len() < OPTIONS_TOLD {
                    wanted.push(option.clone());
                }
            }
        }
        if let Some((mut fault, found)) = first {
            fault.reason = words::wrong_option(&wanted, &found);
            out.push(self.listed, || (fault, Nature::Options { wanted, found }));
        }
    }

    fn tell_nearest(&self, forms: &[Findings], n_forms: usize, place: &Place<'_>, out: &mut Findings) {
        // The first of the nearest, so that the words do not depend on anything but the schema and the value.
        let nearest = forms.iter().min_by_key(|form| form.len()).and_then(|form| form.listed.first());
        self.find(out, place, Nature::Other, || match nearest {
            Some((fault, _)) if fault.pointer == place.pointer() => {
                format!("fits none of the {n_forms} allowed forms; the nearest says: {}", fault.reason)
            }
            Some((fault, _)) => format!(
                "fits none of the {n_forms} allowed forms; the nearest says: {}: {}",
                fault.field, fault.reason
            ),
            None => format!("fits none of the {n_forms} allowed forms"),
        });
    }
}

fn types(form: &Findings) -> impl Iterator<Item = Types> {
    form.listed.iter().filter_map(|(_, nature)| match nature {
        Nature::Type(types) => Some(*types),
        _ => None,
    })
}

/// What a form says about options for the value itself, or for its own tag. Options further down belong to the value
/// that a form was meant for, and do not put the form aside.
fn options<'f>(form: &'f Findings, pointer: &str) -> Option<(&'f Fault, &'f [Value], &'f str)> {
    form.listed.iter().find_map(|(fault, nature)| match nature {
        Nature::Options { wanted, found } if fault.pointer == pointer => {
            Some((fault, wanted.as_slice(), found.as_str()))
        }
        Nature::Tag { wanted, found }
            if fault.pointer.rsplit_once('/').is_some_and(|(up, _)| up == pointer) =>
        {
            Some((fault, std::slice::from_ref(wanted), found.as_str()))
        }
        _ => None,
    })
}
