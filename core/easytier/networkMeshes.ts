import { createGenerations } from './generations'
import type { OpenMesh } from './mesh'
import type { MeshIdentity, MeshOptions } from './meshOptions'
import type { PayloadLayer } from './payloadLayer'
import type { RemotePeer } from './peer/peerOptions'

type Payloads = Pick<PayloadLayer, 'receive' | 'announce'>

/** One peer under several network names and secrets. The first generation is number 0. @see createGenerations */
export type NetworkGenerations = Pick<
  ReturnType<typeof createNetworkMeshes>,
  'open' | 'close' | 'list' | 'at' | 'move' | 'peersOf'
>

/** The meshes of a network: each generation has one. */
export function createNetworkMeshes(options: {
  readonly openMesh: (options: MeshOptions) => Promise<OpenMesh>
  /** What all meshes share; the address is ours until there is a mesh that knows a later one. */
  readonly shared: Omit<MeshOptions, keyof MeshIdentity | 'onPayload' | 'signal'>
  /** What takes the payloads; not called before the first mesh is opened. */
  readonly payloads: () => Payloads
  /** A mesh has failed by itself. */
  readonly onFailed: (error: unknown) => void
}) {
  const { openMesh, shared } = options
  const generations = createGenerations<RemotePeer, OpenMesh>(shared.clock)
  /** What ends each generation; resolves when it has released everything. */
  const opened = new Map<number, (reason: unknown) => Promise<void>>()
  let lastGeneration = -1

  return {
    ...generations,
    open,
    /** Resolves when nothing of it is left. Members that are reached by it alone are gone. */
    async close(generation: number): Promise<void> {
      generations.remove(generation)
      shared.onChange()
      await opened.get(generation)?.(new Error('its members have moved on'))
    },
    /** From now on this member is reached by this generation or a later one. */
    move(peerId: number, generation: number): void {
      generations.move(peerId, generation)
      // Payloads show the member that we have moved, too.
      options.payloads().announce(peerId)
    },
    /** Resolves when nothing of any of them is left. */
    async closeAll(reason: unknown): Promise<void> {
      await Promise.all([...opened.values()].map((end) => end(reason)))
    },
  }

  /** Opens another one beside those that are open. @returns its number. @throws Error when a socket cannot be opened */
  async function open({ identity, lan }: MeshIdentity): Promise<number> {
    lastGeneration += 1
    const generation = lastGeneration
    const ending = new AbortController()
    const opening = openMesh({
      ...shared,
      identity,
      lan,
      address: generations.oldest()?.peer.own().address ?? shared.address,
      onChange() {
        generations.settle()
        shared.onChange()
      },
      onPayload(type, payload, from) {
        if (generations.hear(from, generation)) options.payloads().receive(type, payload, from)
      },
      signal: ending.signal,
    })
    opened.set(generation, async (reason) => {
      ending.abort(reason)
      await opening.then(({ released }) => released).catch(() => undefined)
      opened.delete(generation)
    })
    const mesh = await opening.catch((error: unknown) => {
      opened.delete(generation)
      throw error
    })
    ending.signal.throwIfAborted()
    mesh.closed.catch(options.onFailed)
    generations.add(generation, mesh)
    shared.onChange()
    return generation
  }
}
