import { systemCode } from '@lantern-room/base'
import type { LocalNet } from './ports'

/** Whether nothing listens at an address of this machine: a connection is refused there. False where that is not known. */
export type IsRefused = (
  at: { readonly address: string; readonly port: number },
  signal: AbortSignal,
) => Promise<boolean>

/**
 * Connects and says nothing, which costs a game less than a ping and is in no log of it.
 * @returns rejects with the signal's reason alone
 * @example const isGone = await createIsRefused(localNet)({ address: '127.0.0.1', port: 25_565 }, signal)
 */
export function createIsRefused({ connect }: Pick<LocalNet, 'connect'>): IsRefused {
  return async ({ address, port }, signal) => {
    try {
      const stream = await connect(port, signal, address)
      stream.destroy()
      return false
    } catch (error) {
      signal.throwIfAborted()
      return systemCode(error) === 'ECONNREFUSED'
    }
  }
}
