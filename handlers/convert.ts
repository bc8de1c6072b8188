import { createSingleFlight } from '../core/async/singleFlight'
import { convertRoute } from '../core/media/api/convert'
import { convertForm } from '../core/media/convert/convertForm'
import type { ConvertedPhoto } from '../core/media/convert/convertSession'
import { createCovers } from '../core/media/cover/covers'
import { mediaHandler } from './compose'
import { composeEncoding } from './encoding/compose'

/** POST /convert */
export const handler = mediaHandler((shared) => {
  const tools = {
    ...shared,
    ...composeEncoding(shared),
  }
  const dependencies = {
    ...tools,
    covers: createCovers(tools),
    conversions: createSingleFlight<ConvertedPhoto>(),
  }
  return [convertRoute((request, caller) => convertForm(dependencies, request, caller))]
})
