import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { parseJson } from '#core/bytes'
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
    return JSON.stringify([...open.values()])
  }
}

function keyOf({ method, router, transport, localPort }: PortMapping): string {
  return [method, router, transport, localPort].join(' ')
}

/** @returns none for anything that is no such list */
function decodePortMappings(text: string): readonly PortMapping[] {
  const checked = stored.safeParse(parseJson(text))
  return checked.success ? checked.data : []
}

const port = z.int().min(1).max(65_535)
const stored = z
  .array(
    z.object({
      method: z.enum(['pcp', 'nat-pmp', 'upnp']),
      router: z.string(),
      service: z.string(),
      transport: z.enum(['tcp', 'udp']),
      localPort: port,
      external: z.object({ address: z.string(), port }),
    }),
  )
  .max(64)
