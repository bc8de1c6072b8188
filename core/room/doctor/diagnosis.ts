import { z } from '@hono/zod-openapi'
import { textIn, type Values } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { GameAnnouncement, IsPortFree } from '@lantern-room/game/ports'
import type { ProbeNode } from '../ports'
import english from '../words/findings.json'

/** The checks of this machine, and what they are to look for. No check takes longer than its limit. */
export type DoctorDependencies = {
  readonly nodeVersion: string
  /** The operating system, as in `process.platform` of Node.js. */
  readonly platform: string
  readonly nodes: readonly string[]
  /** Whether the settings limit the LAN to this machine. */
  readonly isLoopbackOnly: boolean
  readonly isPrivate: boolean
  /** The ports that have to be free; undefined for one that this program has open. */
  readonly ports: { readonly room: number | undefined; readonly scaffolding: number | undefined }
  /** @returns the data folder, as it is shown. @throws ServiceError when it cannot be used */
  dataFolder(): Promise<string>
  readonly isPortFree: IsPortFree
  multicast(limitMs: number): Promise<
    readonly {
      readonly interface: string
      readonly isLoopback: boolean
      readonly problem: string | undefined
    }[]
  >
  /** Worlds that are announced on the LAN during that time. */
  worlds(limitMs: number): Promise<readonly GameAnnouncement[]>
  readonly probeNode: ProbeNode
  /** Why no node can be reached, where that is known. */
  outage(nodes: readonly string[]): Promise<'no-internet' | 'wifi-login' | undefined>
  /** How the router opens ports; undefined when it does not, `off` when it is not to be asked. */
  portMapping(limitMs: number): Promise<'nat-pmp' | 'upnp' | 'off' | undefined>
  /** By STUN; undefined when no server answers. */
  natTypes(limitMs: number): Promise<NatTypes | undefined>
  readonly clock: Clock
}

/** What the router means for connections with other players. */
export type NatKind = 'open' | 'easy' | 'hard' | 'tcp-only' | 'blocked'

export type NatTypes = {
  readonly udp: string
  readonly tcp: string
  readonly kind: NatKind
}

/** Every finding by its stable id, by which pages translate it: the check that finds it, and its state. */
const FINDINGS = {
  'node-current': ['node', 'ok'],
  'node-old': ['node', 'failed'],
  'data-folder-usable': ['data-folder', 'ok'],
  'data-folder-unusable': ['data-folder', 'failed'],
  'room-port-free': ['room-port', 'ok'],
  'room-port-used': ['room-port', 'note'],
  'scaffolding-port-free': ['scaffolding-port', 'ok'],
  'scaffolding-port-used': ['scaffolding-port', 'note'],
  'no-lan-interface': ['multicast', 'failed'],
  'multicast-works': ['multicast', 'ok'],
  'multicast-fails': ['multicast', 'failed'],
  'world-announced': ['worlds', 'ok'],
  'no-world': ['worlds', 'note'],
  'shared-node-reachable': ['shared-node', 'ok'],
  'shared-node-unreachable': ['shared-node', 'failed'],
  'shared-node-wrong': ['shared-node', 'failed'],
  'shared-node-refused': ['shared-node', 'failed'],
  'no-shared-node': ['shared-node', 'note'],
  'no-internet': ['shared-node', 'failed'],
  'wifi-login': ['shared-node', 'failed'],
  'nat-open': ['nat', 'ok'],
  'nat-easy': ['nat', 'ok'],
  'nat-hard': ['nat', 'ok'],
  'nat-tcp-only': ['nat', 'ok'],
  'nat-blocked': ['nat', 'ok'],
  'nat-unknown': ['nat', 'note'],
  'router-opens-ports': ['port-mapping', 'ok'],
  'router-opens-no-ports': ['port-mapping', 'note'],
  'open-room': ['secrecy', 'note'],
  'check-failed': ['', 'failed'],
} as const
export type FindingId = keyof typeof FINDINGS
const FINDING_IDS = Object.keys(FINDINGS) as [FindingId, ...FindingId[]]

const TEXTS: Readonly<Record<FindingId, { readonly text: string; readonly hint?: string }>> = english

/** Code points of a text from outside. */
export const MAX_TEXT = 200

/** @param values of the other names in the finding's text and hint */
export function finding(id: FindingId, subject?: string, values: Values = {}): Finding {
  const [check, state] = FINDINGS[id]
  const { text, hint } = TEXTS[id]
  const filled = (words: string) => textIn('en', [words], { subject: subject ?? '', ...values })
  return {
    id,
    check,
    state,
    text: filled(text),
    hint: hint === undefined ? null : filled(hint),
    subject: subject ?? null,
  }
}

/** How players can meet. */
export const WAYS = ['nodes', 'lan'] as const
export type Way = (typeof WAYS)[number]

const FINDING_STATES = ['ok', 'note', 'failed'] as const

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

/** The answer of `GET /doctor`: whether and how players can meet, and what was found on the way. */
export type DoctorRecord = z.infer<typeof doctorRecord>

/** What the checks have found, without the version of the program. */
export type Diagnosis = Omit<DoctorRecord, 'version'>

export type Finding = DoctorRecord['findings'][number]
