import { room } from './programs/room'

void room(process.argv.slice(2))
