"""Answers of TenSEAL (native Microsoft SEAL) to the questions that come as JSON on standard input:
{ "n", "bits", "scaleBits", "questions": [...] } as questions.mjs makes them. Prints { "tenseal": version, "answers": [...] }."""
import json
import sys

import tenseal as ts


def main():
    given = json.load(sys.stdin)
    context = ts.context(ts.SCHEME_TYPE.CKKS, given["n"], coeff_mod_bit_sizes=given["bits"])
    context.global_scale = 2 ** given["scaleBits"]
    context.generate_galois_keys()
    answers = [answer(context, question) for question in given["questions"]]
    json.dump({"tenseal": ts.__version__, "answers": answers}, sys.stdout)


def answer(context, question):
    op = question["op"]
    # Vectors have all cells in one ciphertext, matrices one for each cell.
    of = matrix if op == "matrix_matrix" else vector
    values = [of(context, given) for given in question["inputs"]]
    if op == "polynomial":
        return values[0].polyval(question["coefficients"]).decrypt()
    if op == "square":
        return values[0].square().decrypt()
    a, b = values
    if op == "matrix_matrix":
        return a.mm(b).decrypt().tolist()
    if op == "vector_matrix":
        return a.mm(b).decrypt()
    return {"add": a.add, "sub": a.sub, "mul": a.mul, "dot": a.dot}[op](b).decrypt()


def vector(context, given):
    return ts.ckks_vector(context, given["cells"]) if given["place"] == "encrypted" else given["cells"]


def matrix(context, given):
    cells = ts.plain_tensor(given["cells"])
    return ts.ckks_tensor(context, cells) if given["place"] == "encrypted" else cells


main()
