import { z } from '@hono/zod-openapi'
import { MAX_NAME } from '@lantern-room/protocol'
import type { AdmissionPolicy } from '@lantern-room/protocol/server'
import { flag } from '../http/fields'

const MAX_ALLOWED = 256
const MAX_LENGTH = 2 * MAX_NAME
const ALLOWED_RULE = `must be up to ${MAX_ALLOWED} player names or machine ids`
const ONE_RULE = `must be a player’s name or machine id, 1 to ${MAX_LENGTH} characters`

/** The fields for admission, in the orders that open a room and that change its rules. */
export const admissionFields = {
  approval: flag('Additive: players wait until the host answers; see `guests` of the status.'),
  allowed: z
    .array(z.string({ error: ONE_RULE }).min(1, ONE_RULE).max(MAX_LENGTH, ONE_RULE), { error: ALLOWED_RULE })
    .max(MAX_ALLOWED, ALLOWED_RULE)
    .nullish()
    .openapi({
      description:
        'Additive: names (in any case) or machine ids that are let in without being asked for; without `approval`, and unless it is empty, nobody else is.',
      example: ['Steve'],
    }),
}

type Given = { readonly [Field in keyof typeof admissionFields]?: z.infer<(typeof admissionFields)[Field]> }

/** @param before what holds where a field is left out */
export function readPolicy({ approval, allowed }: Given, before: AdmissionPolicy): AdmissionPolicy {
  return { needsApproval: approval ?? before.needsApproval, allowed: allowed ?? before.allowed }
}

/** Whether both let in the same players; the order of names does not matter. */
export function isSamePolicy(a: AdmissionPolicy, b: AdmissionPolicy): boolean {
  const names = ({ allowed }: AdmissionPolicy) => JSON.stringify([...new Set(allowed)].sort())
  return a.needsApproval === b.needsApproval && names(a) === names(b)
}
