import { assert, suite } from '#support/runner/suite'
import { manifestsOf } from '../../../../local-runner/executables/manifests'

const test = suite('manifests for package managers')

const downloads = 'https://example.com/lantern/releases/download/v1.2.3'
const file = (target: string, ending: string) => ({
  name: `lantern-room-1.2.3-${target}.${ending}`,
  sha256: target.length.toString(16).padStart(64, 'a'),
})
const release = { version: '1.2.3', homepage: 'https://example.com/lantern', downloads }
const all = manifestsOf({
  ...release,
  files: {
    'win-x64': file('win-x64', 'zip'),
    'linux-x64': file('linux-x64', 'tar.xz'),
    'darwin-arm64': file('darwin-arm64', 'tar.xz'),
  },
})

test('Scoop unpacks the archive for Windows, and finds the program in it', () => {
  const { version, architecture, bin } = JSON.parse(all['scoop/lantern-room.json'] ?? '')
  assert.equal([version, bin], ['1.2.3', 'lantern-room.exe'])
  assert.equal(architecture, {
    '64bit': {
      url: `${downloads}/lantern-room-1.2.3-win-x64.zip`,
      hash: file('win-x64', 'zip').sha256,
      extract_dir: 'lantern-room-1.2.3-win-x64',
    },
  })
})

test('winget has its three files, of one package and one version', () => {
  const head = (type: string) =>
    `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.1.6.0.schema.json
PackageIdentifier: LanternRoom.LanternRoom
PackageVersion: "1.2.3"
`
  const end = (type: string) => `ManifestType: ${type}\nManifestVersion: 1.6.0\n`
  const version = 'DefaultLocale: en-US\n'
  const installer = `InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
- RelativeFilePath: lantern-room-1.2.3-win-x64\\lantern-room.exe
  PortableCommandAlias: lantern-room
Installers:
- Architecture: x64
  InstallerUrl: ${downloads}/lantern-room-1.2.3-win-x64.zip
  InstallerSha256: ${file('win-x64', 'zip').sha256.toUpperCase()}
`
  const locale = `PackageLocale: en-US
Publisher: Lantern Room
PackageName: Lantern Room
PackageUrl: https://example.com/lantern
License: MIT
ShortDescription: Motion photos from videos, and rooms to play in one world with friends
`
  const parts = [
    ['', 'version', version],
    ['.installer', 'installer', installer],
    ['.locale.en-US', 'defaultLocale', locale],
  ] as const
  for (const [name, type, fields] of parts)
    assert.is(all[`winget/LanternRoom.LanternRoom${name}.yaml`], head(type) + fields + end(type))
})

test('Homebrew has a block for each archive that there is', () => {
  const formula = all['homebrew/lantern-room.rb'] ?? ''
  const urls = [...formula.matchAll(/url "(.+)"/g)].map(([, url]) => url)
  assert.equal(urls, [
    `${downloads}/lantern-room-1.2.3-darwin-arm64.tar.xz`,
    `${downloads}/lantern-room-1.2.3-linux-x64.tar.xz`,
  ])
  assert.is([...formula.matchAll(/ do$/gm)].length + 2, [...formula.matchAll(/^ *end$/gm)].length)
})

test('a manager has no manifest where the release has nothing for its systems', () => {
  assert.equal(Object.keys(manifestsOf({ ...release, files: {} })), [])
})

test.run()
