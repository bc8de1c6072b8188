import { signal } from '@preact/signals'
import type { NodeHealth } from '#core/room/nodes/nodeHealth'
import { askJson, postJson } from '../../shared/ask'
import { act } from './store'

/** The settings for the rooms that are opened or joined from now on. */
type Settings = {
  readonly nodes: readonly string[]
  /** `client`: chosen on this page, or by a launcher. */
  readonly nodesFrom: 'default' | 'environment' | 'client'
  readonly direct: boolean
  readonly friendRelay: boolean
}

/** With the shared nodes as the last check has found them. */
export const nodeSettings = signal<(Settings & { readonly health: readonly NodeHealth[] }) | undefined>(
  undefined,
)

/** The service asks each node at most once a minute. */
export const checkNodes = () => act('nodes', check)

async function check(): Promise<void> {
  const settings = await askJson<Settings>('/config')
  const { servers: health } = await askJson<{ servers: NodeHealth[] }>('/network/servers')
  nodeSettings.value = { ...settings, health }
}

/** @param nodes null: those that the program itself has */
export const setNodes = (nodes: readonly string[] | null) =>
  act('nodes', () => postJson('/config/nodes', { nodes }).then(check))
