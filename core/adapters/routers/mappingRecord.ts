import { readFile } from 'node:fs/promises'
import { decodePortMappings, encodePortMappings } from '#core/easytier/transport/portMappings'
import type { MappingRecord, PortMapping } from '#core/easytier/transport/transports'
import type { Log } from '#core/log'
import { writeOwnFile } from '../files/ownFile'

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
      if (serialized() !== old) await writeOwnFile(path, serialized())
    })
    last = last.catch((error: unknown) =>
      log.warn('open ports of the router cannot be recorded', { cause: String(error) }),
    )
    return last
  }

  function serialized(): string {
    return encodePortMappings([...open.values()])
  }
}

function keyOf({ method, router, transport, localPort }: PortMapping): string {
  return [method, router, transport, localPort].join(' ')
}
