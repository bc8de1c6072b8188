import type { HostAdmission } from './admission'
import { failed, ok } from './commands'
import type { Commands } from './serverCommands'

/**
 * A command of this program, of private rooms only; `c:protocols` does not list it. The body proves a guest to be the one that
 * the host has let in. The data is the secret of the network to which the host has moved the room, or empty: while there is
 * none, and for who is not in the room.
 */
export const NETWORK_COMMAND = 'lantern:network'

const PROOF_SIZE = 32

/** The host's side of `lantern:network`. */
export function networkCommand(
  admission: Pick<HostAdmission, 'prove'>,
  secret: () => Uint8Array | undefined,
): Commands {
  return {
    [NETWORK_COMMAND]: (proof, caller) => {
      if (proof.length !== PROOF_SIZE) return failed(`The proof must have ${PROOF_SIZE} bytes.`)
      return ok(admission.prove(proof, caller) ? secret() : undefined)
    },
  }
}
