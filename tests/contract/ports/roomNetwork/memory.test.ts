import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openNetworkOf } from '#support/room/openNetworkOf'
import { roomNetworkSuite } from './roomNetworkSuite'

const traits = { seesEveryHost: true, bulk: 4 * 1024 * 1024, searchMs: 20_000 }

roomNetworkSuite('in memory', traits, async () => {
  const network = createMemoryNetwork()
  return {
    roomNetwork: () => network.roomNetwork,
    line: {
      cut: async (room) => network.cut(openNetworkOf(room.text).name),
      heal: async (room) => network.heal(openNetworkOf(room.text).name),
    },
    leaks: network.leaks,
    close: async () => {},
  }
})
