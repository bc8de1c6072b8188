import { createRoute, z } from '@hono/zod-openapi'
import {
  BAD_INPUT,
  commandContract,
  failure,
  message,
  responses,
  SECURITY,
  WRONG_STATE,
} from '../http/contracts'
import { postRoute } from '../http/roomRoute'
import { admissionFields, readPolicy } from './admissionFields'

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

function guestContract<P extends string>(path: P, summary: string) {
  return createRoute({
    method: 'post',
    path,
    summary,
    security: SECURITY,
    request: { params },
    responses: responses(message, {
      ...BAD_INPUT,
      404: failure('There is no such guest.'),
      ...WRONG_STATE,
      429: failure('The room is full.'),
    }),
  })
}

const kickContract = guestContract(
  '/room/guests/{id}/kick',
  'Additive: remove a guest or a member without a player, and refuse it until the room closes',
)

export const kickRoute = postRoute(kickContract, (context, { service }) => {
  service.guests().kick(context.req.valid('param').id)
  return context.json({ message: 'Removed.' }, 200)
})

const approveContract = guestContract(
  '/room/guests/{id}/approve',
  'Additive: let a player in who waits, or was refused or removed before, or a member without a player',
)

export const approveRoute = postRoute(approveContract, (context, { service }) => {
  service.guests().approve(context.req.valid('param').id)
  return context.json({ message: 'Let in.' }, 200)
})

const refuseContract = guestContract('/room/guests/{id}/refuse', 'Additive: refuse a player who waits')

export const refuseRoute = postRoute(refuseContract, (context, { service }) => {
  service.guests().refuse(context.req.valid('param').id)
  return context.json({ message: 'Refused.' }, 200)
})

const admissionContract = commandContract(
  '/room/host/admission',
  'Additive: change whom the open room lets in; players who are in it stay',
  { schema: z.object(admissionFields).openapi('AdmissionOrder'), required: true },
  WRONG_STATE,
)

export const admissionRoute = postRoute(admissionContract, (context, { service, config }) => {
  service.guests().setPolicy(readPolicy(context.req.valid('json'), config))
  return context.json({ message: 'Changed.' }, 200)
})
