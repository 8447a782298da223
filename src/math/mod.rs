//! Numbers, no graph: one modulus, transforms, residue number systems, sampling.
