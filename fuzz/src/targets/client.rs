//! Saved clients.

use super::{Target, verdict};
use crate::container::content;
use crate::edits::{Pristine, edited};
use crate::road::{CLOCK, platform, road};
use crate::watch::Verdict;
use cipherloom::program::Client;
use std::sync::{Arc, LazyLock};

pub const TARGET: Target = Target::of_edits("client", run);

fn run(script: &[u8]) -> Verdict {
    static SAVED: LazyLock<[Pristine; 1]> =
        LazyLock::new(|| [Pristine::plain(road().client.save().to_vec())]);
    let edited = edited(script, &*SAVED);
    let restored = Client::restore(Arc::clone(&road().program), platform(), CLOCK, &edited.bytes);
    if let Ok(client) = &restored {
        assert_eq!(*client.save(), edited.bytes, "a client is saved as it was restored");
        // What another key encrypted is another's.
        let same = content(&edited.bytes) == content(&SAVED[0].bytes);
        if edited.seldom {
            let result = client.decrypt(&[("d", &OUTPUT.bytes)], None);
            assert_eq!(result.is_ok(), same, "a result is bound to the key");
        }
    }
    verdict(&restored)
}

/// The bytes that output `d` travels in.
static OUTPUT: LazyLock<&'static Pristine> = LazyLock::new(|| {
    let fits = |output: &&Pristine| road().client.decrypt(&[("d", &output.bytes)], None).is_ok();
    road().outputs.iter().find(fits).expect("the bytes of an output")
});
