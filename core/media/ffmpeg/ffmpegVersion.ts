/** A hole in ffmpeg that an upload can reach, and since when it is closed. */
export type SecurityFix = {
  readonly id: string
  readonly part: string
  /** The first release of each branch that has it. Branches after the last one have it, all others never got it. */
  readonly releases: readonly string[]
}

/** The table in docs/operating.md, "Untrusted files", is the same. */
export const SECURITY_FIXES: readonly SecurityFix[] = [
  { id: 'CVE-2026-8461', part: 'the MagicYUV decoder', releases: ['7.1.5', '8.0.3', '8.1.2'] },
]

/** A program that was found: its path, and what it prints of its version. */
export type FoundFfmpeg = { readonly path: string; readonly version: string }

export type FfmpegVersion = ReturnType<typeof readFfmpegVersion>

/**
 * @param text what `ffmpeg -version` prints
 * @example readFfmpegVersion('ffmpeg version 8.1.2 Copyright …').name // '8.1.2'
 */
export function readFfmpegVersion(text: string) {
  const name = /^ffmpeg version (\S+)/.exec(text)?.[1] ?? 'unknown'
  const release = /^n?(\d+\.\d+(?:\.\d+)?)(?!.*-dev)(?=$|[-+~])/.exec(name)?.[1]
  return {
    /** As it calls itself: `5.1.9-0+deb12u1`. */
    name,
    /** Undefined for a build of no release, such as `N-118193-g5f38c82536`. */
    missing: release === undefined ? undefined : SECURITY_FIXES.filter((fix) => !hasFix(release, fix)),
  }
}

function hasFix(release: string, { releases }: SecurityFix): boolean {
  const [branch, patch] = partsOf(release)
  const known = releases.map(partsOf)
  const same = known.find(([other]) => other === branch)
  return same ? patch >= same[1] : known.every(([other]) => branch > other)
}

/** The branch as one number, and the release of the branch. */
function partsOf(release: string): readonly [branch: number, patch: number] {
  const [major = 0, minor = 0, patch = 0] = release.split('.').map(Number)
  return [major * 1000 + minor, patch]
}

/**
 * Lines for the operator: which ffmpeg it is, and a warning where one is due.
 * @param path what is started: of a file, or a name that the system looks up
 * @example ffmpegNotes(readFfmpegVersion(found.version), found.path)
 */
export function ffmpegNotes(version: FfmpegVersion, path: string): readonly string[] {
  const warning = versionWarning(version)
  const which = `ffmpeg ${version.name} (${/[/\\]/.test(path) ? path : `${path} in PATH`})`
  return warning === undefined ? [which] : [which, `Warning: ${warning}`]
}

/**
 * A warning for the operator with the remedy; undefined when no action is needed.
 * @example versionWarning(readFfmpegVersion(found.version))
 */
export function versionWarning({ name, missing }: FfmpegVersion): string | undefined {
  if (missing === undefined) {
    return `ffmpeg ${name} is not a release, so it cannot be told which security fixes it has. Install a release.`
  }
  const [first] = missing
  if (first === undefined) return undefined
  const fixes = missing.map(({ id, part }) => `${id} (${part})`).join(', ')
  return `ffmpeg ${name} lacks the fix of ${fixes}, unless its distribution has added it. Install FFmpeg ${first.releases.join(', ')} or newer. Until then uploads are kept away from what is broken.`
}
