/** Program properties shown by Windows. */
export type ProgramDetails = {
  /** `room`, without its ending. */
  readonly name: string
  readonly description: string
  /** Three numbers with dots. */
  readonly version: string
}

/** US English, Unicode. */
const LANGUAGE = { lang: 1033, codepage: 1200 } as const
/** Where Node looks for the program that it contains: resource type RCDATA, this name. */
const SEA_RESOURCE = 'NODE_SEA_BLOB'
const RT_RCDATA = 10
const RT_VERSION = 16

/** The part of the package `resedit` that is used here. */
type Resedit = {
  NtExecutable: {
    from(bytes: Uint8Array, options: { ignoreCert: boolean }): { generate(): ArrayBuffer }
  }
  NtExecutableResource: {
    from(executable: object): {
      entries: {
        type: number | string
        id: number | string
        lang: number
        codepage: number
        bin: ArrayBuffer
      }[]
      outputResource(executable: object): void
    }
  }
  Resource: {
    VersionInfo: {
      createEmpty(): {
        setFileVersion(version: string, lang: number): void
        setProductVersion(version: string, lang: number): void
        setStringValues(at: typeof LANGUAGE, values: Record<string, string>): void
        outputToResourceEntries(entries: object[]): void
      }
    }
  }
}

/**
 * Puts a program into `node.exe`, with name and version of its own instead of Node's.
 * @param node whose signature is left out, since it covers other bytes
 * @param contents the program, as `node --experimental-sea-config` prepares it
 */
export async function windowsProgram(
  node: Uint8Array,
  contents: Uint8Array,
  { name, description, version }: ProgramDetails,
): Promise<Uint8Array> {
  const packageName: string = 'resedit'
  const { NtExecutable, NtExecutableResource, Resource }: Resedit = await import(packageName)
  const executable = NtExecutable.from(node, { ignoreCert: true })
  const resources = NtExecutableResource.from(executable)
  const { lang } = LANGUAGE
  resources.entries = resources.entries.filter(({ type }) => type !== RT_VERSION)
  resources.entries.push({
    type: RT_RCDATA,
    id: SEA_RESOURCE,
    lang,
    codepage: 0,
    bin: new Uint8Array(contents).buffer,
  })

  const info = Resource.VersionInfo.createEmpty()
  info.setFileVersion(`${version}.0`, lang)
  info.setProductVersion(`${version}.0`, lang)
  info.setStringValues(LANGUAGE, {
    FileDescription: description,
    FileVersion: version,
    InternalName: name,
    LegalCopyright: 'MIT licence',
    OriginalFilename: `${name}.exe`,
    ProductName: 'Lantern Room',
    ProductVersion: version,
  })
  info.outputToResourceEntries(resources.entries)
  resources.outputResource(executable)
  return new Uint8Array(executable.generate())
}
