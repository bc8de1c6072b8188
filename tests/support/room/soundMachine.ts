import type { Clock } from '@lantern-room/base/async'
import type { DoctorDependencies } from '@lantern-room/room/doctor'

/** A machine on which every check of the doctor finds what rooms need. */
export function soundMachine(clock: Clock): DoctorDependencies {
  return {
    nodeVersion: '20.19.0',
    platform: 'linux',
    nodes: ['tcp://n:1'],
    isLoopbackOnly: false,
    isPrivate: false,
    ports: { room: 5062, scaffolding: 13_448 },
    clock,
    dataFolder: async () => '/data',
    isPortFree: async () => true,
    multicast: async () => [{ interface: '192.168.1.2', isLoopback: false, problem: undefined }],
    worlds: async () => [],
    probeNode: async () => ({ latencyMs: 12.5, isSharedNode: true }),
    outage: async () => undefined,
    portMapping: async () => 'upnp',
    natTypes: async () => ({ udp: 'cone', tcp: 'open', kind: 'easy' }),
  }
}
