/** The layer is built by plain JavaScript. */

export function versionOf(program: Buffer): string | undefined
export function isNewEnough(version: string): boolean
