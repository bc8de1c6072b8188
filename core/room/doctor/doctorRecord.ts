import { z } from '@hono/zod-openapi'
import { type Diagnosis, FINDING_IDS, FINDING_STATES, WAYS } from './diagnosis'

/** The record that `GET /doctor` and `room doctor --json` return. */
export const doctorRecord = z
  .object({
    version: z.string().openapi({ description: 'Of this program.' }),
    canMeet: z.boolean().openapi({ description: 'Whether players can meet at all.' }),
    ways: z
      .array(z.enum(WAYS))
      .openapi({ description: 'How: at a shared node over the internet, or on the LAN.' }),
    findings: z.array(
      z.object({
        id: z.enum(FINDING_IDS).openapi({ description: 'Which sentence it is: stable, for programs.' }),
        check: z.string().openapi({ description: 'The check that found it.', example: 'multicast' }),
        state: z.enum(FINDING_STATES).openapi({
          description: '`note` is worth knowing, but does not keep players from meeting.',
        }),
        text: z.string().openapi({ description: 'One sentence.' }),
        hint: z.string().nullable().openapi({ description: 'What to do about it, one sentence.' }),
        subject: z.string().nullable().openapi({
          description:
            'The port, address, interface, node or world that it is about; for the router, its NAT types.',
        }),
      }),
    ),
  })
  .openapi('Doctor')

export type DoctorRecord = z.infer<typeof doctorRecord>

export function toDoctorRecord(diagnosis: Diagnosis, version: string): DoctorRecord {
  const { findings, ways, canMeet } = diagnosis
  return {
    version,
    canMeet,
    ways: [...ways],
    findings: findings.map(({ id, check, state, text, hint, subject }) => ({
      id,
      check,
      state,
      text,
      hint: hint ?? null,
      subject: subject ?? null,
    })),
  }
}
