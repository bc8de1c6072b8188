import { message, plainContract } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'
import { stateRecord, toStateRecord } from './stateRecord'

const stopContract = plainContract('post', '/room/stop', 'Stop; answers when everything is closed', message)

export const stopRoute: RoomRoute = {
  contract: stopContract,
  register(app, { service, roomState }) {
    app.openapi(stopContract, async (context) => {
      const wasRunning = roomState.view().role !== null
      await service.stop()
      return context.json({ message: wasRunning ? 'Stopped.' : 'Nothing was running.' }, 200)
    })
  },
}

const idleContract = plainContract('get', '/state/ide', 'Stop, as some launchers call it', stateRecord)

export const idleRoute: RoomRoute = {
  contract: idleContract,
  effect: { en: 'close or leave the room', zh: '关闭或离开房间' },
  register(app, { service, roomState }) {
    app.openapi(idleContract, async (context) => {
      await service.stop()
      return context.json(toStateRecord(roomState.view()), 200)
    })
  },
}

const retryContract = plainContract('post', '/room/retry', 'Run the failed attempt again', message)

export const retryRoute: RoomRoute = {
  contract: retryContract,
  register(app, { service }) {
    app.openapi(retryContract, (context) => {
      const hasStarted = service.retry()
      return context.json({ message: hasStarted ? 'Trying again.' : 'There is nothing to try again.' }, 200)
    })
  },
}
