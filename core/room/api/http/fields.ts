import { z } from '@hono/zod-openapi'
import { cleanText, ServiceError } from '@lantern-room/base'
import { refuseMisspelt } from '@lantern-room/base/fields'
import {
  EXTRA_PORT_LIMITS,
  EXTRA_PORTS_RULE,
  MAX_NAME,
  parseNode,
  readExtraPorts,
  readRoomCode,
} from '@lantern-room/protocol'
import { DAMAGED_INVITATION, readInvitation } from '@lantern-room/protocol/invitation'
import { ROOM_PORT_BOUNDS } from '../../config'
import { isAllowable, KEPT_NUMBERS } from '../../localNumbers'
import { isForeignNode, MAX_NODES } from '../../nodes/nodes'
import { describeProblem } from '../../words/words'

/** Request fields that several routes share: their schemas, and how they are read. */

export const CODE_EXAMPLE = 'U/YNZE-U61D-2206-HXRG'

/** The rule for a query parameter, whose name may occur several times. */
export const ruleOrOnce =
  (rule: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    Array.isArray(input) && input.every((word) => typeof word === 'string') ? 'must be given once' : rule

export const playerName = z
  .string({ error: ruleOrOnce('must be text') })
  .max(256, 'must not be longer than 256 characters')
  .nullish()
  .openapi({ description: 'Name of the player; control characters are left out.', example: 'Alex' })

export const roomCode = z
  .string({
    error: (issue) => (issue.input === undefined ? 'is missing' : ruleOrOnce('must be text')(issue)),
  })
  .max(4096, 'is too long for a room code, which has 16 letters and digits after U/ or L/')
  .openapi({
    description:
      'The room code, `U/…` of an open room or `L/…` of a private one, or an invitation; also inside other text.',
    example: CODE_EXAMPLE,
  })

export const PORT_RULE = 'must be a port, a whole number from 1 to 65535'

export const port = z.int({ error: PORT_RULE }).min(1, PORT_RULE).max(65_535, PORT_RULE)

const ROOM_PORT_RULE = `must be a whole number from ${ROOM_PORT_BOUNDS.min} to ${ROOM_PORT_BOUNDS.max}`

/** Where the room protocol may be served, with the bounds of SCAFFOLDING_PORT. */
export const scaffoldingPort = z
  .int({ error: ROOM_PORT_RULE })
  .min(ROOM_PORT_BOUNDS.min, ROOM_PORT_RULE)
  .max(ROOM_PORT_BOUNDS.max, ROOM_PORT_RULE)

/** Nodes that a launcher may give for one room. */
const MAX_GIVEN_NODES = 64

const NODE_RULE = 'must be the address of a shared node, such as tcp://node.example.com:11010'

/** A list of at most so many nodes; what `accepts` takes beside them is left out. */
function nodeList(max: number, end: string, accepts: (word: string) => boolean) {
  const rule = `must be up to ${max} addresses of shared nodes, such as tcp://node.example.com:11010 (tcp, udp, ws, wss, http, https)${end}`
  return z
    .array(z.string({ error: NODE_RULE }), { error: rule })
    .refine((words) => words.length <= max && words.every((word) => parseNode(word) ?? accepts(word)), rule)
    .transform((words) => [...new Set(words.flatMap((word) => parseNode(word) ?? []))])
}

const shownNodes = (max: number, description: string) => ({
  type: 'array' as const,
  items: { type: 'string' as const },
  maxItems: max,
  description,
  example: ['tcp://node.example.com:11010'],
})

/** Shared nodes for one room, beside the configured ones; those of other transports of the network are left out. */
export const nodes = nodeList(MAX_GIVEN_NODES, '', isForeignNode)
  .nullish()
  .openapi(
    shownNodes(
      MAX_GIVEN_NODES,
      'Additive: shared nodes for this room, beside the configured ones; 16 in all are used.',
    ),
  )

/** Shared nodes of all rooms, with the rule of ROOM_NODES; null = as configured. */
export const configuredNodes = nodeList(MAX_NODES, ', or null', () => false)
  .nullable()
  .openapi(
    shownNodes(
      MAX_NODES,
      'Shared nodes of every room from now on, in place of ROOM_NODES; empty for none, null for ROOM_NODES.',
    ),
  )

const PORT_NAME_RULE = `must be text of at most ${EXTRA_PORT_LIMITS.nameLength} characters`

export const extraPorts = z
  .array(
    z
      .looseObject(
        {
          name: z
            .string({ error: PORT_NAME_RULE })
            .refine((name) => [...name].length <= EXTRA_PORT_LIMITS.nameLength, PORT_NAME_RULE),
          tcp: port.nullish(),
          udp: port.nullish(),
        },
        { error: 'must be a port such as {"name":"voice","udp":24454}' },
      )
      .superRefine((one) => refuseMisspelt(Object.entries(one), ['name', 'tcp', 'udp'])),
    { error: EXTRA_PORTS_RULE },
  )
  .transform((given, context) => {
    const ports = readExtraPorts(given)
    if (ports) return ports
    context.addIssue({ code: 'custom', message: EXTRA_PORTS_RULE })
    return z.NEVER
  })
  .openapi({
    type: 'array',
    items: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: EXTRA_PORT_LIMITS.nameLength },
        tcp: { type: ['integer', 'null'], minimum: 1, maximum: 65_535 },
        udp: { type: ['integer', 'null'], minimum: 1, maximum: 65_535 },
      },
    },
    maxItems: EXTRA_PORT_LIMITS.ports,
    description:
      'Additive: ports of this machine that the guests get beside the world’s, under the same numbers where games use these and they are free there, else under others. A port of this service, or of another one on this machine, is 400.',
    example: [{ name: 'voice', udp: 24_454 }],
  })

const KEPT_NUMBER = z
  .int({ error: KEPT_NUMBERS.ruleOfEach })
  .refine(isAllowable, KEPT_NUMBERS.ruleOfEach)
  .openapi({ minimum: 1024, maximum: 65_535 })

/** Where the world of a room shall be on a guest's machine. */
export const localPort = KEPT_NUMBER.nullish().openapi({
  type: ['integer', 'null'],
  description:
    'Additive: the port of this machine where the game finds the world; default the one that the room had here before, so that maps, waypoints and saved servers stay. Where another program has it, the next free one is used, and `hintCode` is `local-port-taken`.',
  example: 25_570,
})

/** Numbers that ports of the host may have on a guest's machine. */
export const keepPorts = z
  .array(KEPT_NUMBER, { error: KEPT_NUMBERS.ruleOfList })
  .max(KEPT_NUMBERS.max, KEPT_NUMBERS.ruleOfList)
  .openapi({
    description:
      'Additive: ports that the host shares and that get the host’s number on this machine, too, where it is free. Those that games and voice chat use, and most from 49152 on, get it unasked; all others another one.',
    example: [8123],
  })

/** Shared nodes as a query parameter, which may be repeated. */
export const publicNodes = z
  .preprocess((value) => (typeof value === 'string' ? [value] : value), nodes)
  .openapi({ param: { name: 'public_nodes', in: 'query', explode: true } })

export const launcherCustomString = z
  .string({ error: 'must be text of at most 128 printable characters' })
  .nullish()
  .openapi({ description: 'Identifies the launcher in the player\'s vendor; null, missing or "" clears it.' })

/** A choice that may be left out. */
export const flag = (description: string) =>
  z.boolean({ error: 'must be true or false' }).nullish().openapi({ description })

/** How a room uses the network, where that is not as configured. */
export const pathFields = {
  friendRelay: flag(
    'Additive: true carries what passes between other players of this room who find no direct path, where this machine has a public address or an open port of its router; default ROOM_FRIEND_RELAY.',
  ),
  direct: flag(
    'Additive: false connects this machine to no player directly, also not on the LAN: everything goes through shared nodes; default ROOM_DIRECT.',
  ),
}

const RESUME_RULE = 'must be true, false or "ask"'
export const resume = z
  .union([z.boolean(), z.literal('ask')], { error: RESUME_RULE })
  .nullish()
  .openapi({
    description:
      'Additive: true opens or joins this room again by itself when the service ends without being told to, and is started again within an hour; `ask` does so at POST /room/resume only; default false.',
  })

/**
 * Reads a pasted text: a whole invitation, or a code alone.
 * @param field the name of the request's field, for the error
 * @throws ServiceError `invalid-request` that says what is wrong with the code or the invitation
 */
export function readInvited(text: string, field: string) {
  const invitation = readInvitation(text)
  if (invitation === 'damaged') throw new ServiceError('invalid-request', `${field}: ${DAMAGED_INVITATION}`)
  if (invitation) return invitation
  const { code, problem } = readRoomCode(text)
  if (!code) throw new ServiceError('invalid-request', `${field}: ${describeProblem(problem)}`)
  return { room: code, nodes: [], hostKey: undefined }
}

/** The name as it can be shown to others; the fallback when nothing of it is left. */
export function readPlayerName(name: string | null | undefined, fallback: string): string {
  return cleanText(name ?? '', MAX_NAME) || fallback
}
