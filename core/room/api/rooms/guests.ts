import { z } from '@hono/zod-openapi'
import { failure, WRONG_STATE } from '../http/contracts'
import { commandRoute, type RoomRoute } from '../http/roomRoute'
import { admissionFields, isSamePolicy, readPolicy } from './admissionFields'

const ID_RULE = 'must be the id of a guest: 1 to 128 visible ASCII characters'

const params = z.object({
  id: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, ID_RULE)
    .openapi({
      param: { name: 'id', in: 'path' },
      description:
        'The id of a guest as `guests` has it: the machineId of a player, or `member:` and a number.',
    }),
})

function guestRoute(act: 'kick' | 'approve' | 'refuse', summary: string, done: string): RoomRoute {
  return commandRoute(
    `/room/guests/{id}/${act}`,
    summary,
    {
      params,
      failures: {
        404: failure('There is no such guest.'),
        ...WRONG_STATE,
        429: failure('The room is full.'),
      },
    },
    ({ id }, { service }) => {
      service.guests()[act](id)
      return done
    },
  )
}

export const kickRoute = guestRoute(
  'kick',
  'Additive: remove a guest or a member without a player, and refuse it until the room closes',
  'Removed.',
)

export const approveRoute = guestRoute(
  'approve',
  'Additive: let a player in who waits, or was refused or removed before, or a member without a player',
  'Let in.',
)

export const refuseRoute = guestRoute('refuse', 'Additive: refuse a player who waits', 'Refused.')

const NOTHING_CHANGED =
  'Nothing was changed: it is so already, or neither approval nor allowed was sent. GET /room/status tells what holds.'

export const admissionRoute = commandRoute(
  '/room/host/admission',
  'Additive: change whom the open room lets in; players who are in it stay',
  { body: z.object(admissionFields).openapi('AdmissionOrder'), isRequired: true, failures: WRONG_STATE },
  (given, { service }) => {
    const guests = service.guests()
    const before = guests.policy()
    const policy = readPolicy(given, before)
    if (isSamePolicy(policy, before)) return NOTHING_CHANGED
    guests.setPolicy(policy)
    return 'Changed.'
  },
)
