// Predictions as bytes, for Python: in short, and their checksum.
#include "metrics/packing.hpp"
#include "base/checksum.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"

using namespace nb::literals;

namespace venire {
namespace {

using Pairs = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Writable = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::size_t pairs_in(std::size_t settings, std::size_t rows, std::size_t classes) {
  if (classes != 2) throw nb::value_error("only what is said of two classes has a short form");
  return settings * rows;
}

template <auto Pack>
std::optional<Output<float>> packed(const Pairs& outputs) {
  const std::size_t count = pairs_in(outputs.shape(0), outputs.shape(1), outputs.shape(2));
  auto kept = blank<float>(count);
  bool same = false;
  {
    nb::gil_scoped_release release;
    same = Pack(outputs.data(), count, kept.get());
  }
  if (!same) return std::nullopt;
  return hand_over(std::move(kept), {outputs.shape(0), outputs.shape(1)});
}

template <auto Unpack>
Output<float> unpacked(const Table<float>& kept) {
  const std::size_t settings = kept.shape(0), rows = kept.shape(1);
  auto pairs = blank<float>(2 * settings * rows);
  {
    nb::gil_scoped_release release;
    Unpack(kept.data(), settings * rows, pairs.get());
  }
  return hand_over(std::move(pairs), {settings, rows, 2});
}

void complemented(const Writable& outputs) {
  const std::size_t count = pairs_in(outputs.shape(0), outputs.shape(1), outputs.shape(2));
  nb::gil_scoped_release release;
  complement_probabilities(outputs.data(), count);
}

std::optional<Output<std::uint8_t>> label_bits(const Table<std::int16_t>& labels) {
  const std::size_t settings = labels.shape(0), rows = labels.shape(1), width = bytes_of(rows);
  auto bits = blank<std::uint8_t>(settings * width);
  bool same = false;
  {
    nb::gil_scoped_release release;
    same = labels_to_bits(labels.data(), settings, rows, bits.get());
  }
  if (!same) return std::nullopt;
  return hand_over(std::move(bits), {settings, width});
}

Output<std::int16_t> bit_labels(const Table<std::uint8_t>& bits, std::size_t rows) {
  const std::size_t settings = bits.shape(0);
  if (bits.shape(1) != bytes_of(rows)) throw nb::value_error("a byte holds the bits of eight rows");
  auto labels = blank<std::int16_t>(settings * rows);
  {
    nb::gil_scoped_release release;
    bits_to_labels(bits.data(), settings, rows, labels.get());
  }
  return hand_over(std::move(labels), {settings, rows});
}

std::optional<std::uint32_t> crc32(const Input<std::uint8_t>& data, std::uint32_t start) {
  nb::gil_scoped_release release;
  return folded_crc32(data.data(), data.shape(0), start);
}

}  // namespace

void bind_packing(nb::module_& m) {
  m.def("short_shares", &packed<pack_probabilities>, "outputs"_a,
        "The smaller share of each pair [setting, row, 2], negative where it is the first; None where that is not the "
        "whole of it.");
  m.def("short_scores", &packed<pack_scores>, "outputs"_a,
        "The second score of each pair [setting, row, 2]; None where the first is not minus it.");
  m.def("long_shares", &unpacked<unpack_probabilities>, "kept"_a, "What `short_shares` was given.");
  m.def("long_scores", &unpacked<unpack_scores>, "kept"_a, "What `short_scores` was given.");
  m.def("complement_shares", &complemented, "outputs"_a.noconvert(),
        "Where two shares add up to 1 but for rounding, make the larger one minus the smaller, in place.");
  m.def("label_bits", &label_bits, "labels"_a,
        "Labels [setting, row] as bits, each setting from a new byte on, the first row highest; None where they are "
        "not all 0 or 1.");
  m.def("bit_labels", &bit_labels, "bits"_a, "rows"_a, "What `label_bits` was given.");
  m.def("folded_crc32", &crc32, "data"_a, "start"_a,
        "zlib's CRC-32 of bytes that follow others of checksum `start`; None where the processor is not made for it.");
}

}  // namespace venire
