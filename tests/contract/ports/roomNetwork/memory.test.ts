import { createMemoryNetwork } from '#support/network/memoryOverlay'
import { overlaySuite } from './overlaySuite'

const traits = { knowsWrongSecrets: true, seesEveryHost: true, bulk: 4 * 1024 * 1024, searchMs: 1000 }

overlaySuite('in memory', traits, async () => {
  const network = createMemoryNetwork()
  return {
    overlay: () => network.overlay,
    line: {
      cut: async ({ networkName }) => network.cut(networkName),
      heal: async ({ networkName }) => network.heal(networkName),
    },
    leaks: network.leaks,
    close: async () => {},
  }
})
