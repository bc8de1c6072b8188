#!/usr/bin/env bash
# Builds a small static ffmpeg, for the processor of this machine, out of FFmpeg's release and Debian's signed source packages:
# only what this project's arguments need, without any network code. README.md says more.
#
#   layers/ffmpeg/build-from-source.sh [--arch arm64|x64] [--ffmpeg FILE] [--work FOLDER] [--out FOLDER]
#
# --ffmpeg names the release where ffmpeg.org cannot be reached. --arch only checks that it is this machine's.
# Needs Debian 12 or newer, nothing of root, and the packages listed in `tools` below. Takes minutes. The work folder
# (default: a new one, removed at the end) keeps what is finished, so that a second run goes on where the first ended.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

tools=(gcc g++ make nasm cmake meson ninja pkg-config autoconf automake libtoolize dpkg-source xz curl)
tool_packages=(build-essential dpkg-dev nasm cmake meson ninja-build pkg-config autoconf automake libtool xz-utils curl)
sources=(x264 zimg dav1d libvpx zlib)

# Any other file is refused. CVE-2026-8461 is closed from this release on.
release=ffmpeg-8.1.2
release_sha256=464beb5e7bf0c311e68b45ae2f04e9cc2af88851abb4082231742a74d97b524c

work='' out=() archive='' arch=$(uname -m)
while (($# > 0)); do
  case $1 in
    --arch) arch=$2 ;;
    --ffmpeg) archive=$(realpath "$2") ;;
    --work) work=$2 ;;
    --out) out=(--out "$2") ;;
    *) echo "Unknown: $1" >&2 && exit 2 ;;
  esac
  shift 2
done

main() {
  refuse_other_machine
  refuse_without_tools
  if [[ -z $work ]]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
  fi
  mkdir -p "$work/prefix/lib/pkgconfig"
  work=$(cd "$work" && pwd)
  prefix=$work/prefix
  export LC_ALL=C PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
  flags='-O3 -ffunction-sections -fdata-sections'
  export CFLAGS=$flags CXXFLAGS=$flags
  jobs=$(nproc)
  once sources fetch_sources
  once release unpack_release
  local name
  for name in zlib x264 zimg dav1d libvpx ffmpeg; do once "$name" "build_$name"; done
  local program=$work/ffmpeg-small
  install -m 755 "$work/ffmpeg/ffmpeg" "$program"
  strip --strip-all "$program"
  # Checks it, too, and puts the licence beside it.
  node "$here/build.mjs" --arch "$(uname -m)" --from "$program" "${out[@]}" \
    --sha256 "$(sha256sum <"$program" | cut -d ' ' -f 1)" --origin "$(origin)"
}

origin() {
  echo "built by build-from-source.sh from $release and the Debian source packages" "$work"/*.dsc |
    sed "s|$work/||g; s|\.dsc\b||g"
}

refuse_other_machine() {
  local machine
  machine=$(uname -m)
  case $arch/$machine in
    arm64/aarch64 | x64/x86_64 | "$machine/$machine") return ;;
  esac
  echo "This machine is $machine. Build the layer for $arch on such a machine, or deploy the service for this one." >&2
  exit 1
}

refuse_without_tools() {
  local tool
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null && continue
    echo "$tool is missing. As root: apt-get install ${tool_packages[*]}" >&2
    exit 1
  done
}

# once NAME COMMAND: unless it was finished before in this work folder.
once() {
  [[ -e $work/$1.done ]] && return
  echo "=== $1  [$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))]"
  # In the background, because bash forgets `set -e` inside of any condition.
  (cd "$work" && "$2") >"$work/$1.log" 2>&1 &
  wait $! || {
    tail -n 40 "$work/$1.log" >&2
    exit 1
  }
  touch "$work/$1.done"
}

# With an index of its own, so that the machine's is left alone. apt checks signatures and checksums.
fetch_sources() {
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mkdir -p apt/lists/partial apt/parts apt/cache
  cat >apt/parts/source.sources <<SOURCES
Types: deb-src
URIs: ${DEBIAN_MIRROR:-http://deb.debian.org/debian}
Suites: $codename $codename-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb-src
URIs: ${DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
Suites: $codename-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  local apt=(apt-get -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt/parts"
    -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=)
  "${apt[@]}" update
  "${apt[@]}" source --download-only "${sources[@]}"
  local name description
  for name in "${sources[@]}"; do
    rm -rf "$name"
    description=$(ls "$name"_*.dsc)
    dpkg-source --extract "$description" "$name"
  done
}

unpack_release() {
  if [[ -z $archive ]]; then
    archive=$PWD/$release.tar.xz
    curl --fail --location --silent --show-error --output "$archive" "https://ffmpeg.org/releases/$release.tar.xz"
  fi
  sha256sum --check --status <<<"$release_sha256  $archive" || {
    echo "$archive is not $release: its SHA-256 is $(sha256sum <"$archive" | cut -d ' ' -f 1) instead of $release_sha256." >&2
    return 1
  }
  rm -rf ffmpeg
  mkdir ffmpeg
  tar --extract --file "$archive" --directory ffmpeg --strip-components 1
}

build_zlib() {
  cd zlib
  ./configure --static --prefix="$prefix"
  make -j"$jobs" install
}

build_x264() {
  cd x264
  ./configure --prefix="$prefix" --enable-static --disable-cli --disable-opencl --bit-depth=8 \
    --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac --disable-lsmash \
    --extra-cflags="$flags"
  make -j"$jobs" install-lib-static
}

build_zimg() {
  cd zimg
  autoreconf --force --install
  ./configure --prefix="$prefix" --disable-shared --enable-static --with-pic=no
  make -j"$jobs" install
}

build_dav1d() {
  meson setup dav1d/build dav1d --prefix="$prefix" --libdir=lib --buildtype=release --default-library=static \
    -Denable_tools=false -Denable_tests=false -Denable_examples=false
  ninja -j "$jobs" -C dav1d/build install
}

build_libvpx() {
  mkdir -p libvpx/build && cd libvpx/build
  ../configure --prefix="$prefix" --disable-shared --enable-static --disable-examples --disable-tools --disable-docs \
    --disable-unit-tests --disable-vp8-encoder --disable-vp9-encoder --enable-vp9-highbitdepth \
    --enable-runtime-cpu-detect
  make -j"$jobs" install
}

# Lists that follow what core/media asks of ffmpeg: whichever upload it accepts, and what it makes of it.
demuxers=mov,matroska,gif,avi,mpegts,mpegps,flv,ogg,asf,apng,h264,mjpeg,rawvideo,image_jpeg_pipe,image_png_pipe
demuxers+=,image_webp_pipe
# By these ffmpeg finds out what a transport or program stream carries.
demuxers+=,hevc,mpegvideo,m4v,aac,ac3,eac3,dts,mp3,loas,truehd
muxers=mp4,mov,h264,mjpeg,rawvideo,framecrc,null,adts,gif
protocols=file,pipe
encoders=libx264,aac,mjpeg,rawvideo,wrapped_avframe,pcm_s16le,gif
# What uploads may be made of: core/media/ffmpeg/decoders.ts, which tests/unit/layers/decoders.test.ts compares. `rawvideo` is
# for pictures of our own.
picture_decoders=h264,hevc,libdav1d,vp8,libvpx_vp8,vp9,libvpx_vp9,mpeg4,h263,mjpeg,prores,mpeg1video,mpeg2video,dvvideo
picture_decoders+=,wmv2,wmv3,vc1,theora,flv,gif,apng,png,webp,rawvideo
sound_decoders=aac,mp3float,mp3,opus,vorbis,alac,flac,amrnb,amrwb,ac3,eac3,mp2float,mp2,pcm_bluray,pcm_dvd,pcm_s16le,pcm_s16be
sound_decoders+=,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_u8,pcm_s8,pcm_alaw,pcm_mulaw,adpcm_ima_wav
sound_decoders+=,adpcm_ima_qt,adpcm_ms,wmav2,wmapro,speex,nellymoser,adpcm_swf
parsers=aac,ac3,av1,flac,gif,h263,h264,hevc,mjpeg,mpeg4video,mpegaudio,mpegvideo,opus,png,vc1,vorbis,vp3,vp8,vp9,webp
bitstream_filters=aac_adtstoasc,av1_frame_merge,av1_frame_split,extract_extradata,h264_mp4toannexb,hevc_mp4toannexb
bitstream_filters+=,mpeg4_unpack_bframes,null,vp9_superframe,vp9_superframe_split,pcm_rechunk,setts,filter_units
# By its reader of H.264 filter_units takes messages out of previews.
bitstream_filters+=,h264_metadata
# Those that are asked for, and those that ffmpeg puts in by itself: turning a picture upright, converting a format.
filters=fps,scale,format,setsar,showinfo,color,overlay,split,trim,atrim,setpts,asetpts,tpad,zscale,tonemap,bwdif,nullsink
filters+=,lutrgb,colorchannelmixer,blend,tile,loop,palettegen,paletteuse,sidedata
filters+=,aresample,apad,asetrate,atempo,select,null,anull,copy,aformat,transpose,hflip,vflip,rotate,crop,pad,asplit,concat,testsrc

build_ffmpeg() {
  cd ffmpeg
  ./configure --enable-gpl --disable-autodetect --disable-everything --disable-network --disable-doc \
    --disable-debug --disable-ffplay --disable-ffprobe --disable-avdevice --disable-shared \
    --enable-static --enable-pthreads --enable-zlib --enable-libx264 --enable-libzimg --enable-libdav1d --enable-libvpx \
    --enable-protocol="$protocols" --enable-demuxer="$demuxers" --enable-muxer="$muxers" --enable-encoder="$encoders" \
    --enable-decoder="$picture_decoders,$sound_decoders" --enable-parser="$parsers" --enable-bsf="$bitstream_filters" \
    --enable-filter="$filters" --optflags=-O3 --pkg-config-flags=--static \
    --extra-cflags="$flags" --extra-ldflags=-Wl,--gc-sections \
    --extra-ldexeflags=-static --extra-libs='-lstdc++ -lm -lpthread'
  make -j"$jobs" ffmpeg
}

main
