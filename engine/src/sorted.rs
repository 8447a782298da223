//! Maps and sets that are sorted vectors.
//!
//! They iterate in the order of their keys, as the standard library's B-trees do, and are used in the same way. A B-tree is
//! thousands of instructions for each pair of types, of which the modules had a hundred; this is a few. Looking up takes log2(n)
//! comparisons, what is put in or taken out moves all that lies behind it: where thousands of keys come in no order one by one,
//! `BTreeMap` or `HashMap` is right. [`SortedMap::from_iter`] sorts once.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, RangeInclusive};

/// A map that iterates in the order of its keys; see the [module](self) for when to use it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

/// A set that iterates in order; see the [module](self) for when to use it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedSet<T>(Vec<T>);

/// What a map has for a key, or where it would go.
pub enum Entry<'a, K, V> {
    /// The key is there, with this value.
    Occupied(Occupied<'a, K, V>),
    /// The key is not there.
    Vacant(Vacant<'a, K, V>),
}

/// A key that is in a map.
pub struct Occupied<'a, K, V> {
    map: &'a mut SortedMap<K, V>,
    place: usize,
}

/// A key that is not in a map.
pub struct Vacant<'a, K, V> {
    map: &'a mut SortedMap<K, V>,
    place: usize,
    key: K,
}

/// Keys and values of a map, in the order of the keys.
pub struct Iter<'a, K, V>(std::slice::Iter<'a, (K, V)>);

impl<K, V> SortedMap<K, V> {
    /// A map without keys. Takes no memory.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values, in the order of the keys.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.0.iter())
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values, to be changed, in the order of their keys.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Drops the keys for which the answer is no.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// The keys alone, in order.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.0.into_iter().map(|(key, _)| key)
    }

    /// The values alone, in the order of their keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.0.into_iter().map(|(_, value)| value)
    }

    /// The least key, with its value.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// The greatest key, with its value.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Where a key lies, or where it would be put.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }

    /// Whether a key is there.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        self.0.get(place).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        self.0.get_mut(place).map(|(_, value)| value)
    }

    /// Puts a value in; the one that the key had before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// Keys from one to another, with their values, in order.
    pub fn range(&self, keys: RangeInclusive<K>) -> Iter<'_, K, V> {
        let start = self.0.partition_point(|(key, _)| key < keys.start());
        let rest = &self.0[start..];
        Iter(rest[..rest.partition_point(|(key, _)| key <= keys.end())].iter())
    }

    /// Takes a key out; the value that it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        Some(self.0.remove(place).1)
    }

    /// What there is for a key, to be changed or put in.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        match self.place(&key) {
            Ok(place) => Entry::Occupied(Occupied { map: self, place }),
            Err(place) => Entry::Vacant(Vacant { map: self, place, key }),
        }
    }
}

impl<K: Ord, V> SortedMap<K, Vec<V>> {
    /// Values by their keys, those of one key in the order in which they come.
    pub fn grouped(all: Vec<(K, V)>) -> Self {
        let mut all = all;
        arrange(&mut all, |a, b| a.0.cmp(&b.0));
        let mut groups: Vec<(K, Vec<V>)> = Vec::new();
        for (key, value) in all {
            match groups.last_mut() {
                Some((last, values)) if *last == key => values.push(value),
                _ => groups.push((key, vec![value])),
            }
        }
        Self(groups)
    }
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    /// The value of the key: this one, where it has none yet.
    pub fn or_insert(self, value: V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(value),
        }
    }

    /// The value of the key: one that is made, where it has none yet.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    /// The value of the key: the default, where it has none yet.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value where there is one.
    #[must_use]
    pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }
}

impl<'a, K, V> Occupied<'a, K, V> {
    /// The value.
    pub fn get(&self) -> &V {
        &self.map.0[self.place].1
    }

    /// The value, to be changed.
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.map.0[self.place].1
    }

    /// The value, to be changed as long as the map is borrowed.
    pub fn into_mut(self) -> &'a mut V {
        &mut self.map.0[self.place].1
    }
}

impl<'a, K, V> Vacant<'a, K, V> {
    /// Gives the key a value.
    pub fn insert(self, value: V) -> &'a mut V {
        self.map.0.insert(self.place, (self.key, value));
        &mut self.map.0[self.place].1
    }
}

impl<T> SortedSet<T> {
    /// A set without members. Takes no memory.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The least member.
    pub fn first(&self) -> Option<&T> {
        self.0.first()
    }

    /// The greatest member.
    pub fn last(&self) -> Option<&T> {
        self.0.last()
    }
}

impl<T: Ord> SortedSet<T> {
    fn place<Q: Ord + ?Sized>(&self, member: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        self.0.binary_search_by(|other| other.borrow().cmp(member))
    }

    /// Whether it is a member.
    pub fn contains<Q: Ord + ?Sized>(&self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.place(member).is_ok()
    }

    /// Puts a member in. False where it was one before.
    pub fn insert(&mut self, member: T) -> bool {
        match self.place(&member) {
            Ok(_) => false,
            Err(place) => {
                self.0.insert(place, member);
                true
            }
        }
    }

    /// Takes a member out. False where it was none.
    pub fn remove<Q: Ord + ?Sized>(&mut self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        match self.place(member) {
            Ok(place) => {
                self.0.remove(place);
                true
            }
            Err(_) => false,
        }
    }
}

/// Sorts by a key; of those that have the same one, the last stays.
fn settle<E>(entries: &mut Vec<E>, order: impl Fn(&E, &E) -> Ordering) {
    // Mostly they come in order.
    if entries.is_sorted_by(|a, b| order(a, b).is_lt()) {
        return;
    }
    arrange(entries, &order);
    entries.dedup_by(|next, kept| {
        let same = order(next, kept).is_eq();
        if same {
            std::mem::swap(next, kept);
        }
        same
    });
}

/// Sorts by a key; equals keep their order.
fn arrange<E>(entries: &mut [E], order: impl Fn(&E, &E) -> Ordering) {
    let mut ranks = ranks(entries.len(), &|a, b| order(&entries[a], &entries[b]));
    for place in 0..ranks.len() {
        while ranks[place] != place {
            let rank = ranks[place];
            entries.swap(place, rank);
            ranks.swap(place, rank);
        }
    }
}

/// Where each of so many goes when they are sorted; equals keep their order. Sorting is code too long for each type to have its own.
fn ranks(len: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..len).collect();
    sorted.sort_unstable_by(|&a, &b| order(a, b).then(a.cmp(&b)));
    let mut ranks = vec![0; len];
    for (rank, &place) in sorted.iter().enumerate() {
        ranks[place] = rank;
    }
    ranks
}

impl<K: Ord, V> From<Vec<(K, V)>> for SortedMap<K, V> {
    /// Of values for the same key the last.
    fn from(mut entries: Vec<(K, V)>) -> Self {
        settle(&mut entries, |a, b| a.0.cmp(&b.0));
        Self(entries)
    }
}

impl<T: Ord> From<Vec<T>> for SortedSet<T> {
    fn from(mut members: Vec<T>) -> Self {
        settle(&mut members, T::cmp);
        Self(members)
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    /// Of values for the same key the last.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(all: I) -> Self {
        Vec::from_iter(all).into()
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        Vec::from_iter(all).into()
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(all: [(K, V); N]) -> Self {
        Vec::from(all).into()
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(all: [T; N]) -> Self {
        Vec::from(all).into()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, more: I) {
        self.0.extend(more);
        settle(&mut self.0, |a, b| a.0.cmp(&b.0));
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        self.0.extend(more);
        settle(&mut self.0, T::cmp);
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, more: I) {
        self.extend(more.into_iter().copied());
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    /// # Panics
    /// Without the key.
    #[allow(clippy::expect_used, reason = "as of the standard library's maps")]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<T: Serialize> Serialize for SortedSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

impl<'de, T: Ord + Deserialize<'de>> Deserialize<'de> for SortedSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

/// Reads a map.
struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
    type Value = SortedMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// What is done to a map or a set.
    #[derive(Clone, Debug)]
    enum Change {
        Insert(u8, u32),
        Remove(u8),
        Count(u8),
        Extend(Vec<(u8, u32)>),
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            (any::<u8>(), any::<u32>()).prop_map(|(key, value)| Change::Insert(key, value)),
            any::<u8>().prop_map(Change::Remove),
            any::<u8>().prop_map(Change::Count),
            vec((any::<u8>(), any::<u32>()), 0..8).prop_map(Change::Extend),
        ]
    }

    fn hash(value: impl std::hash::Hash) -> u64 {
        crate::graph::hash(&value)
    }

    proptest! {
        #[test]
        fn maps_are_as_the_standard_ones(
            given in vec((any::<u8>(), any::<u32>()), 0..300),
            changes in vec(change(), 0..100),
        ) {
            let mut map: SortedMap<u8, u32> = given.iter().copied().collect();
            let mut model: BTreeMap<u8, u32> = given.iter().copied().collect();
            prop_assert_eq!(serde_json::to_string(&map).unwrap(), serde_json::to_string(&model).unwrap());
            for change in changes {
                match change {
                    Change::Insert(key, value) => {
                        prop_assert_eq!(map.insert(key, value), model.insert(key, value));
                    }
                    Change::Remove(key) => prop_assert_eq!(map.remove(&key), model.remove(&key)),
                    Change::Count(key) => {
                        let counted = |n: &mut u32| *n = n.wrapping_add(1);
                        let found = *map.entry(key).and_modify(counted).or_insert(7);
                        prop_assert_eq!(found, *model.entry(key).and_modify(counted).or_insert(7));
                        *map.entry(key ^ 1).or_default() ^= 5;
                        *model.entry(key ^ 1).or_default() ^= 5;
                    }
                    Change::Extend(more) => {
                        map.extend(more.iter().copied());
                        model.extend(more);
                    }
                }
                prop_assert!(map.iter().eq(&model) && map.iter().rev().eq(model.iter().rev()));
            }
            prop_assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
            prop_assert!(map.keys().eq(model.keys()) && map.values().eq(model.values()));
            prop_assert_eq!(map.first_key_value(), model.first_key_value());
            prop_assert_eq!(map.last_key_value(), model.last_key_value());
            prop_assert!((0..=255).all(|key| map.range(key..=200).eq(model.range(key..=key.max(200)).filter(|(key, _)| **key <= 200))));
            for key in 0..=255 {
                prop_assert_eq!(map.get(&key), model.get(&key));
                prop_assert_eq!(map.get_mut(&key), model.get_mut(&key));
                prop_assert_eq!(map.contains_key(&key), model.contains_key(&key));
            }
            prop_assert_eq!(format!("{map:?} {map:#?}"), format!("{model:?} {model:#?}"));
            prop_assert_eq!(hash(&map), hash(&model));
            map.retain(|key, _| key % 3 > 0);
            model.retain(|key, _| key % 3 > 0);
            map.values_mut().for_each(|value| *value /= 2);
            model.values_mut().for_each(|value| *value /= 2);
            prop_assert!(map.clone().into_keys().eq(model.clone().into_keys()));
            prop_assert!(map.clone().into_values().eq(model.clone().into_values()));
            prop_assert!(map.into_iter().eq(model));
        }

        #[test]
        fn sets_are_as_the_standard_ones(
            given in vec(any::<u8>(), 0..300),
            other in vec(any::<u8>(), 0..4),
            changes in vec(change(), 0..100),
        ) {
            let mut set: SortedSet<u8> = given.iter().copied().collect();
            let mut model: BTreeSet<u8> = given.iter().copied().collect();
            for change in changes {
                match change {
                    Change::Insert(key, _) => prop_assert_eq!(set.insert(key), model.insert(key)),
                    Change::Remove(key) => prop_assert_eq!(set.remove(&key), model.remove(&key)),
                    Change::Count(key) => prop_assert_eq!(set.contains(&key), model.contains(&key)),
                    Change::Extend(more) => {
                        set.extend(more.iter().map(|(key, _)| key));
                        model.extend(more.iter().map(|(key, _)| key));
                    }
                }
                prop_assert!(set.iter().eq(&model));
            }
            prop_assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
            prop_assert_eq!((set.first(), set.last()), (model.first(), model.last()));
            prop_assert_eq!(format!("{set:?}"), format!("{model:?}"));
            let (one, two): (SortedSet<u8>, BTreeSet<u8>) = (other.iter().copied().collect(), other.into_iter().collect());
            prop_assert_eq!((set.cmp(&one), set == one), (model.cmp(&two), model == two));
            prop_assert_eq!(serde_json::to_string(&set).unwrap(), serde_json::to_string(&model).unwrap());
            prop_assert!(set.into_iter().eq(model));
        }

        #[test]
        fn what_is_read_is_as_the_standard_ones_read_it(given in vec(("[a-c]{0,2}", any::<u32>()), 0..20)) {
            // Keys come twice, and in no order.
            let pairs: Vec<String> = given.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            let text = format!("{{{}}}", pairs.join(","));
            let map: SortedMap<String, u32> = serde_json::from_str(&text).unwrap();
            let model: BTreeMap<String, u32> = serde_json::from_str(&text).unwrap();
            prop_assert!(map.iter().eq(&model));
            prop_assert!(model.iter().all(|(key, value)| map[key.as_str()] == *value));
            let keys = serde_json::to_string(&given.iter().map(|(key, _)| key).collect::<Vec<_>>()).unwrap();
            let set: SortedSet<String> = serde_json::from_str(&keys).unwrap();
            prop_assert!(set.iter().eq(&serde_json::from_str::<BTreeSet<String>>(&keys).unwrap()));
        }
    }

    #[test]
    fn what_is_no_map_is_refused() {
        let wrong = serde_json::from_str::<SortedMap<String, u32>>("[1]").unwrap_err().to_string();
        assert!(wrong.contains("expected a map"), "{wrong}");
        assert!(serde_json::from_str::<SortedMap<String, u32>>(r#"{"a":1,"b":-1}"#).is_err());
    }

    #[test]
    fn an_entry_says_whether_there_is_one() {
        let mut map = SortedMap::from([("b", 2)]);
        let Entry::Occupied(mut there) = map.entry("b") else { panic!("b is there") };
        *there.get_mut() += 1;
        assert_eq!((*there.get(), *there.into_mut()), (3, 3));
        let Entry::Vacant(missing) = map.entry("a") else { panic!("a is not there") };
        assert_eq!(*missing.insert(1), 1);
        assert_eq!(map, SortedMap::from([("b", 3), ("a", 1)]));
    }

    proptest! {
        #[test]
        fn groups_and_what_is_added_are_as_the_standard_ones_have_them(
            pairs in proptest::collection::vec((0u8..20, any::<u8>()), 0..60),
            more in proptest::collection::vec((0u8..40, any::<u8>()), 0..60),
        ) {
            let mut groups: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
            pairs.iter().for_each(|&(key, value)| groups.entry(key).or_default().push(value));
            prop_assert!(SortedMap::grouped(pairs.clone()).into_iter().eq(groups));

            let mut map: SortedMap<u8, u8> = pairs.iter().copied().collect();
            let mut expected: BTreeMap<u8, u8> = pairs.into_iter().collect();
            let mut set: SortedSet<u8> = map.keys().copied().collect();
            map.extend(more.clone());
            expected.extend(more.clone());
            set.extend(more.into_iter().map(|(key, _)| key));
            prop_assert!(set.iter().eq(expected.keys()));
            prop_assert!(map.into_iter().eq(expected));
        }
    }

    #[test]
    fn very_many_in_no_order_are_sorted_once() {
        let numbers = (0..200_000u32).map(|i| i.wrapping_mul(0x9e37_79b1));
        let set: SortedSet<u32> = numbers.clone().collect();
        assert!(set.iter().copied().eq(numbers.collect::<BTreeSet<_>>()));
    }
}
