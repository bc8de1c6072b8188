import type { Clock } from '@lantern-room/base/async'
import { setNewest } from '@lantern-room/base/limits'
import { MAX_RECORDS } from './peer/routing/routeTable'

type Generation<Mesh> = { readonly generation: number; readonly mesh: Mesh }

type Identified = { readonly record: { readonly peerId: number } }

type Reach<Peer> = {
  readonly peer: { peers(): readonly Peer[]; peer(peerId: number): Peer | undefined }
}

/** What was under way when a member moved still counts. */
export const UNDER_WAY_MS = 3000

type Home = { readonly generation: number; readonly since: number }

const FIRST: Home = { generation: 0, since: Number.NEGATIVE_INFINITY }

/**
 * One network under one secret after another: each generation is open beside the ones before, and members move from an older
 * one to a newer one, never back. A member is where it was heard last; what comes in its name under an older secret, which
 * others may know, is then ignored.
 * @see docs/decisions.md, D128
 */
export function createGenerations<Peer extends Identified, Mesh extends Reach<Peer>>(
  clock: Pick<Clock, 'now'>,
) {
  let open: readonly Generation<Mesh>[] = []
  /** Where each member is that has moved. */
  const homes = new Map<number, Home>()

  return {
    /** @param generation 0 for the first; higher than that of every other one */
    add(generation: number, mesh: Mesh): void {
      open = [...open, { generation, mesh }].sort((one, other) => one.generation - other.generation)
    },
    remove(generation: number): void {
      open = open.filter((one) => one.generation !== generation)
    },
    /** The numbers of the open ones, the oldest first. */
    list: (): readonly number[] => open.map(({ generation }) => generation),
    /** The oldest first. */
    all: (): readonly Mesh[] => open.map(({ mesh }) => mesh),
    oldest: (): Mesh | undefined => open[0]?.mesh,
    at,
    /** Notes a payload. @returns whether it counts */
    hear(peerId: number, generation: number): boolean {
      const home = homeOf(peerId)
      if (generation > home.generation) move(peerId, generation)
      return generation >= home.generation || clock.now() - home.since < UNDER_WAY_MS
    },
    move,
    /** To be called when the members of a mesh have changed: a member that is in a newer one only has moved there. */
    settle(): void {
      for (const { generation, mesh } of open.slice(1)) {
        for (const { record } of mesh.peer.peers()) {
          const { peerId } = record
          const isNews = generation > homeOf(peerId).generation
          if (isNews && placeOf(peerId)?.generation === generation) move(peerId, generation)
        }
      }
    },
    /** The mesh by which a member is reached, if it is. */
    meshOf: (peerId: number): Mesh | undefined => placeOf(peerId)?.mesh,
    /** The members of all meshes, each once, as it is reached. */
    peers: (): readonly Peer[] => open.flatMap(({ generation }) => peersOf(generation)),
    peersOf,
  }

  function at(generation: number): Mesh | undefined {
    return open.find((one) => one.generation === generation)?.mesh
  }

  function homeOf(peerId: number): Home {
    return homes.get(peerId) ?? FIRST
  }

  /** From now on this member is reached under this generation or a later one. */
  function move(peerId: number, generation: number): void {
    setNewest(homes, peerId, { generation, since: clock.now() }, MAX_RECORDS)
  }

  /** The newest one needs no check: mostly it is the only one, and each packet passes here. */
  function placeOf(peerId: number): Generation<Mesh> | undefined {
    const from = homeOf(peerId).generation
    const newest = open.at(-1)
    return open.find(
      (one) => one.generation >= from && (one === newest || one.mesh.peer.peer(peerId) !== undefined),
    )
  }

  function peersOf(generation: number): readonly Peer[] {
    const peers = at(generation)?.peer.peers() ?? []
    return peers.filter(({ record }) => placeOf(record.peerId)?.generation === generation)
  }
}
