/** A bug that is planted in the product to see that a test catches it. */
export type Plant = {
  /** Source file, from the top of the project. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly original: string
  readonly planted: string
  /** What goes wrong for users. */
  readonly breaks: string
  /** The test file that must fail, as the runner names it: `unit/base/http/ranges`. */
  readonly caughtBy: string
  /** The one test of that file to run; undefined: all, until one fails. Named where the others take long. */
  readonly test?: string
}

/** As it is written down: without a test file, the one of the source file's own name has to catch it. */
export type WrittenPlant = Omit<Plant, 'caughtBy'> & { readonly caughtBy?: string }

export function withTestFile(plant: WrittenPlant): Plant {
  const ownTest = `unit/${plant.file.replace(/^core\//, '').replace(/\.tsx?$/, '')}`
  return { ...plant, caughtBy: plant.caughtBy ?? ownTest }
}

/** @throws when the source has changed so that the plant no longer fits */
export function plantInto(source: string, { file, original, planted }: Plant): string {
  const count = source.split(original).length - 1
  if (count !== 1) throw new Error(`Stale plant: ${file} contains ${count} times: ${original}`)
  return source.replace(original, () => planted)
}
