// A base operator.
export default ([x]) => x.toReversed();
