import { z } from 'zod'
import { parseJson } from '#core/bytes'
import type { PortMapping } from './transports'

/** Port mappings as JSON, for a file. */
export function encodePortMappings(mappings: readonly PortMapping[]): string {
  return JSON.stringify(mappings)
}

/** @returns none for anything that is no such list */
export function decodePortMappings(text: string): readonly PortMapping[] {
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
