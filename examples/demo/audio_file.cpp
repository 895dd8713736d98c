#include "audio_file.hpp"

#include <sndfile.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace demo {
namespace {

using SoundFile = std::unique_ptr<SNDFILE, decltype(&sf_close)>;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error(path + ": " + reason);
}

// libsndfile opens a file that is shorter than its header says without a word and plays what is left.
void check_complete(const std::string& path, std::uintmax_t size) {
  std::array<unsigned char, 8> head{};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(head.data()), head.size());
  if (std::string(head.begin(), head.begin() + 4) != "RIFF") return;
  std::uintmax_t rest = 0;
  for (std::size_t byte = 8; byte-- > 4;) rest = 256 * rest + head[byte];
  constexpr std::uintmax_t unknown = 0xffffffff;  // written by programs that stream
  const std::uintmax_t announced = rest + 8;
  if (rest != unknown && announced > size + 1) {  // one byte is padding, which some programs count and do not write
    fail(path,
         "truncated: its header announces " + std::to_string(announced) + " bytes, it has " + std::to_string(size));
  }
}

void check_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail(path, "no such file");
  if (std::filesystem::is_directory(status)) fail(path, "is a directory, not a WAV file");
  if (!std::filesystem::is_regular_file(status)) fail(path, "not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (size == 0) fail(path, "the file is empty");
  check_complete(path, size);
}

void check_format(const std::string& path, int format) {
  const int container = format & SF_FORMAT_TYPEMASK;
  if (container != SF_FORMAT_WAV && container != SF_FORMAT_WAVEX) fail(path, "not a WAV file");
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_PCM_16:
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE: return;
    default: fail(path, "its encoding is neither PCM nor float");
  }
}

// libsndfile's messages end with a full stop or a newline, some with a blank before it.
std::string reason(SNDFILE* file) {
  std::string text = sf_strerror(file);
  while (!text.empty() && std::string(" .\n").find(text.back()) != std::string::npos) text.pop_back();
  return text;
}

}  // namespace

AudioFile read_wav(const std::string& path) {
  check_file(path);
  SF_INFO info{};
  const SoundFile file(sf_open(path.c_str(), SFM_READ, &info), &sf_close);
  if (!file) fail(path, "not a readable WAV file (" + reason(nullptr) + ")");
  check_format(path, info.format);
  if (info.frames == 0) fail(path, "holds no samples");
  AudioFile audio{{}, info.frames, info.channels, info.samplerate, info.format & SF_FORMAT_SUBMASK};
  audio.samples.resize(static_cast<std::size_t>(info.frames * info.channels));
  if (sf_readf_float(file.get(), audio.samples.data(), info.frames) != info.frames) {
    fail(path, "cannot be read to its end (" + reason(file.get()) + ")");
  }
  return audio;
}

void write_wav(const std::string& path, const AudioFile& audio) {
  SF_INFO info{};
  info.samplerate = audio.sample_rate;
  info.channels = audio.channels;
  info.format = SF_FORMAT_WAV | audio.encoding;
  const SoundFile file(sf_open(path.c_str(), SFM_WRITE, &info), &sf_close);
  // Without clipping libsndfile scales by 32767 and not by 32768: an unchanged sample would come out different.
  if (file) sf_command(file.get(), SFC_SET_CLIPPING, nullptr, SF_TRUE);
  if (!file || sf_writef_float(file.get(), audio.samples.data(), audio.frames) != audio.frames) {
    fail(path, "cannot be written (" + reason(file.get()) + ")");
  }
}

}  // namespace demo
