import { createRoute, z } from '@hono/zod-openapi'
import { renderSVG } from 'uqr'
import { ServiceError } from '#core/errors'
import { DAMAGED_INVITATION, differencesOf, modListOf, readInvitation } from '../../invitation'
import { BAD_BODY, BAD_INPUT, json, responses, SECURITY, WRONG_STATE } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

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
  .openapi({ description: 'Names of the mods; only their number and a digest of them are told.' })

const inviteBody = z
  .object({ gameVersion: gameVersion.openapi({ description: 'Default: as the world says.' }), mods })
  .openapi('InvitationOrder')

const invitationRecord = z
  .object({
    link: z.string().openapi({ description: 'Every order takes it in place of the code.' }),
    webLink: z.string().nullable().openapi({ description: 'The same at ROOM_INVITATION_PAGE.' }),
    svg: z.string().openapi({ description: 'A QR code of the link, as SVG.' }),
  })
  .openapi('Invitation')

const inviteContract = createRoute({
  method: 'post',
  path: '/room/invitation',
  summary: 'A link and a QR code that invite to the hosted room',
  security: SECURITY,
  request: { body: { required: false, content: json(inviteBody) } },
  responses: responses(invitationRecord, { ...BAD_BODY, ...WRONG_STATE }),
})

export const inviteRoute: RoomRoute = {
  contract: inviteContract,
  register(app, { invite }) {
    app.openapi(inviteContract, async (context) => {
      const given = context.req.valid('json')
      const links = await invite({
        gameVersion: given.gameVersion ?? undefined,
        mods: given.mods ? modListOf(given.mods) : undefined,
      })
      if (!links) throw new ServiceError('conflict', 'No room is being hosted: start one first.')
      const { link, webLink = null } = links
      return context.json({ link, webLink, svg: renderSVG(webLink ?? link) }, 200)
    })
  },
}

const readBody = z
  .object({
    invitation: z.string({ error: 'must be text' }).max(10_000, 'is no invitation'),
    gameVersion,
    mods,
  })
  .openapi('InvitationToRead')

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
  })
  .openapi('ReadInvitation')

const readContract = createRoute({
  method: 'post',
  path: '/invitation',
  summary: 'What an invitation says, and how the game here differs, before joining',
  security: SECURITY,
  request: { body: { required: true, content: json(readBody) } },
  responses: responses(readRecord, { ...BAD_BODY, ...BAD_INPUT }),
})

export const readInvitationRoute: RoomRoute = {
  contract: readContract,
  register(app) {
    app.openapi(readContract, (context) => {
      const given = context.req.valid('json')
      const invitation = readInvitation(given.invitation)
      if (invitation === undefined || invitation === 'damaged') {
        throw new ServiceError('invalid-request', `invitation: ${DAMAGED_INVITATION}`)
      }
      const own = {
        gameVersion: given.gameVersion ?? undefined,
        mods: given.mods ? modListOf(given.mods) : undefined,
      }
      return context.json(
        {
          roomCode: invitation.room.text,
          nodes: [...invitation.nodes],
          gameVersion: invitation.gameVersion ?? null,
          mods: invitation.mods ?? null,
          name: invitation.name ?? null,
          differences: [...differencesOf(invitation, own)],
        },
        200,
      )
    })
  },
}
