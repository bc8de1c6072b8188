// The published programs that a layer may be made of, by Lambda's name of the processor. The project that publishes them
// gives no checksums: these were taken from the files themselves, and are what many other projects have pinned.

export const RELEASE = 'b6.1.1'
export const PUBLISHED_AT = `https://github.com/eugeneware/ffmpeg-static/releases/download/${RELEASE}`
export const ORIGIN = `ffmpeg-static ${RELEASE} (ffmpeg 7.0.2, built by https://johnvansickle.com/ffmpeg/)`

/** Bytes and SHA-256, packed by gzip and unpacked. */
export const RELEASES = {
  arm64: {
    name: 'ffmpeg-linux-arm64.gz',
    packed: { size: 25_568_691, sha256: '754a678672298bc68156adff58aa7385a592c2b30b1d0ae8750c45c915c4bac0' },
    program: { size: 51_134_160, sha256: '6bb182d0d75d23028db82e9e4f723ca69b853d055698486e6984ddb2c06fb8ce' },
  },
  x86_64: {
    name: 'ffmpeg-linux-x64.gz',
    packed: { size: 29_354_986, sha256: 'bfe8a8fc511530457b528c48d77b5737527b504a3797a9bc4866aeca69c2dffa' },
    program: { size: 79_826_272, sha256: 'e7e7fb30477f717e6f55f9180a70386c62677ef8a4d4d1a5d948f4098aa3eb99' },
  },
}
