import { asciiBytes, concatBytes } from '#core/bytes'
import { bytesSource } from '#core/formats/source/byteSource'
import { readMediaConfig } from '#core/media/config'
import { outputFiles } from '#core/media/convert/outputFiles'
import { fakeWorkFolders, ORIGIN, PLAIN_CLIP, PREVIEW } from '#support/media/prepared'
import type {
  MotionPhotoDependencies,
  Tools,
  UserFiles,
} from '../../../../local-runner/cli/motionPhotoDependencies'
import type { VideoOptions } from '../../../../local-runner/cli/motionPhotoOptions'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'

/** A file that `motion-photo` makes. */
export const PHOTO = concatBytes(
  outputFiles('universal', { ...sampleParts, namedAt: ORIGIN.namedAt }).map(({ bytes }) => bytes),
)

/** What `motion-photo a.gif` means. */
export const VIDEO: VideoOptions = {
  input: '/videos/a.gif',
  output: '/photos/a.jpg',
  start: 0,
  end: undefined,
  cover: undefined,
  coverFrom: 'auto',
  coverFile: undefined,
  donor: undefined,
  edit: { crop: undefined, rotate: 0 },
  repeat: undefined,
  speed: 1,
  profile: 'universal',
  isProfileGiven: false,
  mute: false,
  quality: 'auto',
  hdr: false,
  origin: { metadata: 'date', capturedAt: undefined, timeZone: undefined },
  force: false,
  json: false,
  quiet: false,
}

const unused = async () => {
  throw new Error('not needed')
}

/**
 * A machine where every file can be read, and making a photo takes no ffmpeg.
 * @returns with it what was asked of it, and how many work folders are open
 */
export function fakeCommand(changes: { files?: Partial<UserFiles>; tools?: Partial<Tools> } = {}) {
  const did: string[] = []
  const { workFolders, stillOpen } = fakeWorkFolders()
  const dependencies: MotionPhotoDependencies = {
    version: '1.2.3',
    folder: '/videos',
    terminal: { canRedraw: false, hasColour: false },
    isDebugging: false,
    limits: () => readMediaConfig({}).limits,
    killAllProcesses() {},
    files: {
      openPhoto: async () => bytesSource(PHOTO),
      modificationTime: async () => 0,
      writeOutputFolder: async (path) => void did.push(`write folder ${path}`),
      makeFolder: async (path) => void did.push(`make ${path}`),
      listFiles: unused,
      readInputHead: async (path, checkHead) =>
        checkHead(path.endsWith('.gif') ? asciiBytes('GIF89a') : PHOTO),
      saveStandardInput: async (_, { checkHead }) => checkHead(asciiBytes('GIF89a')),
      checkOutput: async () => undefined,
      writeOutput: async (path) => void did.push(`write ${path}`),
      ...changes.files,
    },
    async openTools() {
      did.push('open tools')
      return {
        workFolders,
        animate: unused,
        changeClip: unused,
        openFile: async () => bytesSource(PHOTO),
        preparePreview: async () => PREVIEW,
        convertClip: async () => ({
          files: [{ name: 'photo.jpg', contentType: 'image/jpeg', bytes: PHOTO }],
          photo: PHOTO,
          ...PLAIN_CLIP,
        }),
        ...changes.tools,
      }
    },
  }
  return { dependencies, did, stillOpen }
}
