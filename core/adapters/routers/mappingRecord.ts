import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { decodePortMappings, encodePortMappings } from '#core/easytier/transport/portMappings'
import type { MappingRecord, PortMapping } from '#core/easytier/transport/transports'
import type { Log } from '#core/log'

/** Keeps the record in a JSON file, which is replaced as a whole at each change. */
export function createMappingRecord(path: string, log: Log): MappingRecord {
  const open = new Map<string, PortMapping>()
  let last: Promise<void> | undefined
  const before = read()

  return {
    leftovers: () => before,
    add: (mapping) => change(() => open.set(keyOf(mapping), mapping)),
    remove: (mapping) => change(() => open.delete(keyOf(mapping))),
  }

  async function read(): Promise<readonly PortMapping[]> {
    const text = await readFile(path, 'utf8').catch(() => '')
    const mappings = decodePortMappings(text)
    for (const mapping of mappings) open.set(keyOf(mapping), mapping)
    return mappings
  }

  function change(apply: () => void): Promise<void> {
    last = (last ?? before.then(() => {})).then(async () => {
      const old = serialized()
      apply()
      if (serialized() !== old) await write(serialized())
    })
    last = last.catch((error: unknown) =>
      log.warn('open ports of the router cannot be recorded', { cause: String(error) }),
    )
    return last
  }

  function serialized(): string {
    return encodePortMappings([...open.values()])
  }

  async function write(text: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
    try {
      await writeFile(temporary, text, { mode: 0o600 })
      await rename(temporary, path)
    } finally {
      await rm(temporary, { force: true })
    }
  }
}

function keyOf({ method, router, transport, localPort }: PortMapping): string {
  return [method, router, transport, localPort].join(' ')
}
