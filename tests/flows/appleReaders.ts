import { exiftool } from '#support/media/exiftool'
import { mustRun } from '#support/media/media'
import { pythonPackages } from '#support/process/pythonPackages'

// Readers of Live Photos from PyPI. makelive decides by its own code whether two files are a pair, but reads them by Apple's
// frameworks, which only a Mac has: here exiftool and PyAV read for it.

const { python, missing } = pythonPackages('makelive-0.7.0', ['makelive==0.7.0', 'av==18.1.0'], ['--no-deps'])

export const appleReadersMissing = missing

const READ = `
import json, sys, types
from contextlib import nullcontext
import av

class ImageMetadata:
    def __init__(self, path):
        pass

    def asdict(self):
        return {'MakerApple': {'17': sys.argv[1]} if sys.argv[1] else {}}

class Item:
    def __init__(self, key, value):
        self.key, self.keySpace, self.value = lambda: key, lambda: 'mdta', lambda: value

class AVAsset:
    @staticmethod
    def assetWithURL_(path):
        with av.open(path) as movie:
            items = [Item(key, value) for key, value in movie.metadata.items() if key.startswith('com.')]
        return types.SimpleNamespace(metadata=lambda: items)

NSURL = types.SimpleNamespace(fileURLWithPath_=str)
of_a_mac = {
    'AVFoundation': dict(AVAsset=AVAsset),
    'cgmetadata': dict(ImageMetadata=ImageMetadata),
    'objc': dict(autorelease_pool=nullcontext),
    'Quartz': {},
    'Foundation': dict(NSURL=NSURL, CFDictionaryRef=None, NSData=None, NSMutableData=None, NSMutableDictionary=None),
    'wurlitzer': dict(pipes=nullcontext),
}
for name, members in of_a_mac.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
from makelive import is_live_photo_pair

with av.open(sys.argv[3]) as movie:
    data = {stream.index: [] for stream in movie.streams if stream.type == 'data'}
    for packet in movie.demux([movie.streams[index] for index in data]):
        if packet.size:
            data[packet.stream_index].append([float(packet.pts * packet.time_base), bytes(packet).hex()])
    tracks = [stream.codec_context.codec_tag if stream.codec_context else stream.type for stream in movie.streams]
print(json.dumps(dict(pair=is_live_photo_pair(*sys.argv[2:4]), tracks=tracks, data=list(data.values()))))
`

export type LiveReading = {
  /** makelive's verdict: the identifier, or false. */
  readonly pair: string | false
  /** The codec of each track, by PyAV, which knows none of metadata: `data`. */
  readonly tracks: readonly string[]
  /** The samples of each track of metadata, by PyAV: its second, and its bytes in hexadecimal. */
  readonly data: readonly (readonly (readonly [seconds: number, bytes: string])[])[]
}

export async function readLivePair(still: string, movie: string): Promise<LiveReading> {
  const identifier = (await exiftool('-s3', '-Apple:ContentIdentifier', still)).toString().trim()
  return JSON.parse((await mustRun(python, ['-c', READ, identifier, still, movie])).toString())
}
