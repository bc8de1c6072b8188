import { motionPhoto } from './programs/motionPhoto'

void motionPhoto(process.argv.slice(2))
