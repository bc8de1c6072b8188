import { signal } from '@preact/signals'
import { askJson, postJson } from '../../shared/ask'
import type { SharedPort } from '../state/records'
import { act } from './store'

/** Services of this computer that could be shared, once it was searched. */
export const services = signal<readonly SharedPort[]>([])

/** Takes up to a second. */
export const findServices = () =>
  act('ports', async () => {
    services.value = (await askJson<{ services: SharedPort[] }>('/game/services')).services
  })

/** Shares these ports beside the world's, in place of those before. */
export const sharePorts = (ports: readonly SharedPort[]) =>
  act('ports', () =>
    postJson('/room/host/ports', { ports: ports.map(({ name, tcp, udp }) => ({ name, tcp, udp })) }),
  )
