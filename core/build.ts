// The build puts both values in place of these names (see esbuild.mjs).
declare const __VERSION__: string
declare const __BUILT_AT__: string

/** The version in package.json. */
export const version: string = __VERSION__

/** When this build was made, ISO 8601. */
export const builtAt: string = __BUILT_AT__
