import { message, plainContract } from './contracts'
import type { RoomRoute } from './roomRoute'

const shutdownContract = plainContract('post', '/shutdown', 'Stop the room and end the program', message)

export const shutdownRoute: RoomRoute = {
  contract: shutdownContract,
  register(app, { service, shutDown }) {
    app.openapi(shutdownContract, async (context) => {
      await service.stop()
      shutDown()
      return context.json({ message: 'Shutting down.' }, 200)
    })
  },
}
