import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import type { ListMods } from '@lantern-room/game/ports'
import {
  DAMAGED_INVITATION,
  differencesOf,
  type ModList,
  missingModsOf,
  modListOf,
  modNameOf,
  readInvitation,
} from '@lantern-room/protocol/invitation'
import { renderSVG } from 'uqr'
import { WRONG_STATE } from '../http/contracts'
import { orderRoute } from '../http/roomRoute'

const MODS_RULE = 'must be a list of up to 4096 names'
const gameVersion = z
  .string({ error: 'must be text' })
  .max(64, 'must not be longer than 64 characters')
  .nullish()
  .openapi({ description: 'Version of the game.', example: '1.21.4' })
const mods = z
  .array(z.string({ error: MODS_RULE }).max(256, MODS_RULE), { error: MODS_RULE })
  .max(4096, MODS_RULE)
  .nullish()
  .openapi({ description: 'Names of the mods. They are in the link, unless they are too long for it.' })
const modsFolder = z.string({ error: 'must be text' }).max(4096, 'is too long').nullish().openapi({
  description: 'In place of `mods`: the folder with the mods of the game on this machine.',
  example: '/home/alex/.minecraft/mods',
})

const inviteBody = z
  .object({
    gameVersion: gameVersion.openapi({ description: 'Default: as the world says.' }),
    mods,
    modsFolder,
    text: z.string({ error: 'must be text' }).max(1024, 'is too long').nullish().openapi({
      description:
        'Additive: what the QR code says where no page takes invitations, such as a message with the code. Default: the link, which only a machine with this program opens.',
    }),
  })
  .openapi('InvitationOrder')

const invitationRecord = z
  .object({
    link: z.string().openapi({ description: 'Every order takes it in place of the code.' }),
    webLink: z.string().nullable().openapi({ description: 'The same at ROOM_INVITATION_PAGE.' }),
    svg: z.string().openapi({ description: 'A QR code of the link, or of `text`, as SVG.' }),
  })
  .openapi('Invitation')

export const inviteRoute = orderRoute(
  '/room/invitation',
  'A link and a QR code that invite to the hosted room',
  invitationRecord,
  { body: inviteBody, failures: WRONG_STATE },
  async (given, { invite, listMods }) => {
    const links = await invite({
      gameVersion: given.gameVersion ?? undefined,
      mods: await modsOf(given, listMods),
    })
    if (!links) throw new ServiceError('conflict', 'No room is being hosted: start one first.')
    const { link, webLink = null } = links
    return { link, webLink, svg: renderSVG(webLink ?? (given.text || link)) }
  },
)

const readBody = z
  .object({
    invitation: z.string({ error: 'must be text' }).max(10_000, 'is no invitation'),
    gameVersion,
    mods,
    modsFolder,
  })
  .openapi('InvitationToRead')

/** @throws ServiceError `invalid-request` */
async function modsOf(
  given: Pick<z.infer<typeof readBody>, 'mods' | 'modsFolder'>,
  listMods: ListMods,
): Promise<ModList | undefined> {
  if (given.mods) return modListOf(given.mods)
  if (!given.modsFolder) return undefined
  return modListOf((await listMods(given.modsFolder, 'modsFolder')).map(modNameOf))
}

const modNames = z.array(z.string()).nullable()

const readRecord = z
  .object({
    roomCode: z.string(),
    nodes: z.array(z.string()),
    gameVersion: z.string().nullable(),
    mods: z.object({ count: z.int(), digest: z.string() }).nullable(),
    name: z.string().nullable().openapi({ description: 'Of the player who hosts.' }),
    differences: z
      .array(z.enum(['gameVersion', 'mods']))
      .openapi({ description: 'What of the given game is not as the host’s.' }),
    missingMods: modNames.openapi({
      description: 'Additive: the host’s mods that the given game lacks; null unless both sides’ are named.',
    }),
    extraMods: modNames.openapi({ description: 'Additive: mods of the given game that the host lacks.' }),
  })
  .openapi('ReadInvitation')

export const readInvitationRoute = orderRoute(
  '/invitation',
  'What an invitation says, and how the game here differs, before joining',
  readRecord,
  { body: readBody, isRequired: true },
  async (given, { listMods }) => {
    const invitation = readInvitation(given.invitation)
    if (invitation === undefined || invitation === 'damaged') {
      throw new ServiceError('invalid-request', `invitation: ${DAMAGED_INVITATION}`)
    }
    const own = {
      gameVersion: given.gameVersion ?? undefined,
      mods: await modsOf(given, listMods),
    }
    const missing = missingModsOf(invitation.mods, own.mods)
    return {
      roomCode: invitation.room.text,
      nodes: [...invitation.nodes],
      gameVersion: invitation.gameVersion ?? null,
      mods: invitation.mods ? { count: invitation.mods.count, digest: invitation.mods.digest } : null,
      name: invitation.name ?? null,
      differences: [...differencesOf(invitation, own)],
      missingMods: missing ? [...missing.here] : null,
      extraMods: missing ? [...missing.there] : null,
    }
  },
)
