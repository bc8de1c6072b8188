/** The oldest release that a layer is made of: the first that closes CVE-2026-8461 in the newest branch then. */
export const OLDEST = '8.1.2'

/** How a program names its version, with nothing before it in the file. */
const MARKS = ['FFmpeg version ', '%s version ']
const LONGEST = 80

/** @returns the version that is written in an ffmpeg, such as `8.1.2`; undefined when there is none */
export function versionOf(program) {
  for (const mark of MARKS) {
    for (let at = program.indexOf(mark); at >= 0; at = program.indexOf(mark, at + 1)) {
      const start = at + mark.length
      const [, version] = /^(n?\d+\.[\w.+~-]+)/.exec(program.toString('latin1', start, start + LONGEST)) ?? []
      if (version !== undefined) return version
    }
  }
  return undefined
}

/** Whether a release, or a build of its branch, is not older than `OLDEST`. */
export function isNewEnough(version) {
  const parts = (text) => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number)
  const [oldest, actual] = [parts(OLDEST), parts(version)]
  const differs = oldest.findIndex((part, index) => part !== (actual[index] ?? 0))
  return differs < 0 || (actual[differs] ?? 0) > oldest[differs]
}
