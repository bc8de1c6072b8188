import { withoutCharacterSets } from '@lantern-room/adapters/ffmpeg'

// Started by a test in a process of its own: says which folder it has made, and ends.
const { GCONV_PATH = '' } = await withoutCharacterSets()
process.stdout.write(GCONV_PATH)
