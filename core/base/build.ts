// The build puts both values in place of these names (see esbuild.mjs).
declare const __VERSION__: string
declare const __BUILT_AT__: string

/** The description of a build. */
export type Build = {
  /** The version in package.json. */
  readonly version: string
  /** When it was made, ISO 8601. */
  readonly builtAt: string
}

/** Version of the build that runs. */
export const version: string = __VERSION__
/** When that build was made, ISO 8601. */
export const builtAt: string = __BUILT_AT__

/**
 * Version of the HTTP API and the feed, apart from the program's: the first number rises when a client has to change, the
 * second when something is added.
 */
export const CONTRACT_VERSION = '1.1'
