import { convertRoute, createConverter } from '@lantern-room/media'
import { mediaHandler } from './compose'
import { composeEncoding } from './encoding/compose'

/** POST /convert */
export const handler = mediaHandler((shared) => [convertRoute(createConverter(composeEncoding(shared)))])
