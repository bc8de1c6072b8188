import { doctorRecord } from '../../doctor/doctorRecord'
import { plainContract } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

const doctorContract = plainContract(
  'get',
  '/doctor',
  'What works on this machine, and what to do about the rest; takes up to 4 s',
  doctorRecord,
)

export const doctorRoute: RoomRoute = {
  contract: doctorContract,
  // It asks shared nodes, STUN servers and the router.
  effect: { en: 'check this computer and its network', zh: '检查这台电脑和它的网络' },
  register(app, { doctor }) {
    app.openapi(doctorContract, async (context) =>
      context.json(await doctor(), 200, { 'Cache-Control': 'no-store' }),
    )
  },
}
