/** Set by the runner for a run on another seed than the fixed one: `--random-seeds`, `--seed N`. */
export const seedVariable = 'TESTS_PROPERTY_SEED'
